import SwiftSyntax

extension TypeSyntax {
    var withoutParentheses: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
            only.firstName == nil
        else { return self }
        return only.type.withoutParentheses
    }

    /// The type to resolve: `T?` for `T!`, otherwise the type itself.
    var resolved: TypeSyntax {
        guard let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmed }
        return TypeSyntax(OptionalTypeSyntax(wrappedType: implicit.wrappedType.trimmed))
    }

    var metatype: String {
        switch kind {
        case .identifierType, .memberType, .arrayType, .dictionaryType, .optionalType, .tupleType:
            "\(trimmedDescription).self"
        default:
            "(\(trimmedDescription)).self"
        }
    }
}

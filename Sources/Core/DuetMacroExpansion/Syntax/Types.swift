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

    /// The first `some` type within the type, which cannot be resolved.
    var opaque: SomeOrAnyTypeSyntax? {
        final class Finder: SyntaxVisitor {
            var found: SomeOrAnyTypeSyntax?

            override func visit(_ node: SomeOrAnyTypeSyntax) -> SyntaxVisitorContinueKind {
                if found == nil, node.someOrAnySpecifier.tokenKind == .keyword(.some) { found = node }
                return .visitChildren
            }
        }
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(self)
        return finder.found
    }
}

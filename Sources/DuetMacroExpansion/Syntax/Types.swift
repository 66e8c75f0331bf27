import SwiftSyntax

extension TypeSyntax {
    /// The type without parentheses that enclose nothing but it.
    var withoutParentheses: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
            only.firstName == nil
        else { return self }
        return only.type.withoutParentheses
    }

    /// The type as a value is asked for: `T!` is `T?`.
    var resolved: TypeSyntax {
        guard let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmed }
        return TypeSyntax(OptionalTypeSyntax(wrappedType: implicit.wrappedType.trimmed))
    }

    /// The expression that names the type's metatype.
    var metatype: String {
        switch kind {
        case .identifierType, .memberType, .arrayType, .dictionaryType, .optionalType, .tupleType:
            "\(trimmedDescription).self"
        default:
            "(\(trimmedDescription)).self"
        }
    }

    /// The first `some` type within, which no value can be asked for by.
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

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What is wrong with a stored property that `@Resolvable` would set.
extension Refusal {
    static func patternProperty(_ property: StoredProperty) -> Refusal {
        Refusal(
            "patternProperty",
            at: property.binding.pattern,
            "@Resolvable resolves one property at a time; declare each with a name and a type of its own",
            fixIts: property.separated
        )
    }

    static func untypedProperty(_ property: StoredProperty) -> Refusal {
        let name = property.name?.text ?? "it"
        return Refusal(
            "untypedProperty",
            at: property.binding.pattern,
            "'\(name)' has neither a type to be resolved by nor a default value",
            fixIts: [property.annotated("<#Type#>")]
        )
    }

    static func wrappedProperty(_ property: StoredProperty, _ attribute: AttributeSyntax) -> Refusal {
        Refusal(
            "wrappedProperty",
            at: attribute,
            "@Resolvable cannot tell how '\(attribute.trimmedDescription)' stores '\(property.name?.text ?? "it")'; "
                + "give it a default value, or write an initialiser",
            fixIts: property.defaultingToNil
        )
    }

    static func namedBesideInitializer(
        _ attribute: AttributeSyntax,
        _ property: StoredProperty,
        _ initializer: InitializerDeclSyntax
    ) -> Refusal {
        Refusal(
            "namedBesideInitializer",
            at: attribute,
            "@Named has no effect, because @Resolvable uses '\(initializer.signatureName)' and not the properties",
            fixIts: .removal(of: attribute, from: property.declaration)
        )
    }
}

extension StoredProperty {
    /// `let (a, b): (A, B)` as `let a: A, b: B`, where the two tuples match.
    var separated: [FixIt] {
        guard let names = binding.pattern.as(TuplePatternSyntax.self)?.elements.map(\.pattern),
            let types = type?.as(TupleTypeSyntax.self)?.elements.map(\.type),
            names.count == types.count, names.allSatisfy({ $0.is(IdentifierPatternSyntax.self) })
        else { return [] }
        let last = names.count - 1
        let bindings = zip(names, types).enumerated().map { index, pair in
            PatternBindingSyntax(
                pattern: pair.0.trimmed,
                typeAnnotation: TypeAnnotationSyntax(colon: .colonToken(trailingTrivia: .space), type: pair.1.trimmed),
                trailingComma: index < last ? .commaToken(trailingTrivia: .space) : nil
            )
        }
        let separated = declaration.with(\.bindings, PatternBindingListSyntax(bindings))
        return declaration.bindings.count == 1 ? [.replace("declare each by itself", declaration, with: separated)] : []
    }

    /// The property with the default value that an optional variable has.
    fileprivate var defaultingToNil: [FixIt] {
        guard isVariable, type?.is(OptionalTypeSyntax.self) == true else { return [] }
        let value = InitializerClauseSyntax(
            leadingTrivia: .space,
            equal: .equalToken(trailingTrivia: .space),
            value: NilLiteralExprSyntax()
        )
        let defaulting = binding.trimmed.with(\.initializer, value)
        return [.replace("give it the default value 'nil'", binding, with: defaulting)]
    }

    /// The property with a type annotation.
    func annotated(_ type: String) -> FixIt {
        let annotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space),
            type: TypeSyntax("\(raw: type)")
        )
        var pattern = binding.pattern
        let space = pattern.trailingTrivia
        pattern.trailingTrivia = []
        var typed = binding.with(\.pattern, pattern).with(\.typeAnnotation, annotation)
        typed.typeAnnotation?.trailingTrivia = space
        return .replace("write its type: '\(type)'", binding, with: typed)
    }
}

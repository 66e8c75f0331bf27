import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Errors about a stored property that `@Resolvable` resolves.
extension MacroDiagnostic {
    static func patternProperty(_ property: StoredProperty) -> MacroDiagnostic {
        MacroDiagnostic(
            at: property.binding.pattern,
            "@Resolvable resolves one property at a time; declare each with its own name and type",
            fixIts: property.separated
        )
    }

    static func untypedProperty(_ property: StoredProperty) -> MacroDiagnostic {
        let name = property.name?.text ?? "it"
        return MacroDiagnostic(
            at: property.binding.pattern,
            "'\(name)' has neither a type nor a default value; write its type",
            fixIts: [property.annotated("<#Type#>")]
        )
    }

    static func wrappedProperty(_ property: StoredProperty, _ attribute: AttributeSyntax) -> MacroDiagnostic {
        MacroDiagnostic(
            at: attribute,
            "@Resolvable cannot set '\(property.name?.text ?? "it")' because of '\(attribute.trimmedDescription)'; "
                + "give the property a default value, or write an initializer",
            fixIts: property.defaultingToNil
        )
    }

    static func namedBesideInitializer(
        _ attribute: AttributeSyntax,
        _ property: StoredProperty,
        _ initializer: InitializerDeclSyntax
    ) -> MacroDiagnostic {
        let initializer = initializer.signatureName
        let text = "@Named has no effect, because @Resolvable uses '\(initializer)' and not the properties"
        return MacroDiagnostic(removing: attribute, from: property.declaration, text)
    }
}

extension StoredProperty {
    /// Rewrites `let (a, b): (A, B)` as `let a: A, b: B`, if the two tuples match.
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
        guard declaration.bindings.count == 1 else { return [] }
        return [.replace("declare each separately", declaration, with: separated)]
    }

    /// Writes out the default value of an optional variable.
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

/// Errors about `@Inject` and `@Named` where they have no effect.
extension MacroDiagnostic {
    static func injectWithoutInitializer(_ attribute: AttributeSyntax, _ declaration: some SyntaxProtocol) -> Self {
        let text = "@Inject marks the initializer that @Resolvable should use; it has no effect here"
        return MacroDiagnostic(removing: attribute, from: declaration, text)
    }

    static func outsideResolvableType(_ attribute: AttributeSyntax, _ declaration: some SyntaxProtocol) -> Self {
        let text = "@\(attribute.name) has an effect only within the declaration of a @Resolvable type"
        return MacroDiagnostic(removing: attribute, from: declaration, text)
    }

    static func namedWithoutStoredProperty(_ attribute: AttributeSyntax, _ declaration: some SyntaxProtocol) -> Self {
        let text = "@Named applies to stored properties that @Resolvable resolves; it has no effect here"
        return MacroDiagnostic(removing: attribute, from: declaration, text)
    }

    static func namedWithDefault(_ attribute: AttributeSyntax, _ declaration: some SyntaxProtocol) -> Self {
        let text = "because a property with a default value is not resolved; remove one of the two"
        return MacroDiagnostic(removing: attribute, from: declaration, "@Named has no effect, \(text)")
    }
}

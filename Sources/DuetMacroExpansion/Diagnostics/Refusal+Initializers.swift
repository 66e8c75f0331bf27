import SwiftDiagnostics
import SwiftSyntax

/// What is wrong with the initialiser that `@Resolvable` would use.
extension Refusal {
    static func severalInitializers(
        _ initializers: [InitializerDeclSyntax],
        of type: ResolvableType,
        _ attribute: AttributeSyntax
    ) -> Refusal {
        Refusal(
            "severalInitializers",
            at: attribute,
            "'\(type.name.text)' has several initialisers; mark the one that @Resolvable shall use with @Inject",
            fixIts: initializers.map(\.markedWithInject)
        )
    }

    static func injectTwice(_ initializer: InitializerDeclSyntax) -> Refusal {
        guard let attribute = initializer.attributes.named("Inject").first else {
            return Refusal("injectTwice", at: initializer, "one initialiser is marked with @Inject already")
        }
        return Refusal(
            "injectTwice",
            at: attribute,
            "one initialiser is marked with @Inject already; @Resolvable uses one",
            fixIts: .removal(of: attribute, from: initializer)
        )
    }

    static func failableInitializer(_ mark: TokenSyntax) -> Refusal {
        Refusal(
            "failableInitializer",
            at: mark,
            "@Resolvable cannot use an initialiser that may return nil; let it throw an error that says why"
        )
    }

    static func genericInitializer(_ clause: GenericParameterClauseSyntax) -> Refusal {
        Refusal(
            "genericInitializer",
            at: clause,
            "@Resolvable cannot tell what to choose for the initialiser's own generic parameters; move them to the type"
        )
    }

    static func variadicParameter(_ parameter: FunctionParameterSyntax, _ ellipsis: TokenSyntax) -> Refusal {
        let array =
            parameter
            .with(\.type, TypeSyntax(ArrayTypeSyntax(element: parameter.type.trimmed)))
            .with(\.ellipsis, nil)
        return Refusal(
            "variadicParameter",
            at: parameter,
            "a variadic parameter cannot be resolved; take an array, which is every registration of its element's type",
            fixIts: [.replace("take '[\(parameter.type.trimmedDescription)]'", parameter, with: array)]
        )
    }

    static func unresolvableParameter(_ parameter: FunctionParameterSyntax, _ kind: String) -> Refusal {
        Refusal(
            "unresolvableParameter",
            at: parameter,
            "\(kind) cannot be resolved; give it a default value or mark another initialiser with @Inject"
        )
    }

    static func opaqueType(_ type: SomeOrAnyTypeSyntax) -> Refusal {
        let existential = type.with(\.someOrAnySpecifier.tokenKind, .keyword(.any))
        return Refusal(
            "opaqueType",
            at: type,
            "'\(type.trimmedDescription)' names no type that could be registered; "
                + "use '\(existential.trimmedDescription)', or a generic parameter of the type",
            fixIts: [.replace("use '\(existential.trimmedDescription)'", type, with: existential)]
        )
    }
}

extension InitializerDeclSyntax {
    fileprivate var markedWithInject: FixIt {
        let attribute = AttributeSyntax(
            attributeName: IdentifierTypeSyntax(name: .identifier("Inject")),
            trailingTrivia: .space
        )
        var marked = trimmed
        marked.attributes = [.attribute(attribute)] + marked.attributes
        return .replace("mark '\(signatureName)' with @Inject", self, with: marked)
    }
}

import SwiftDiagnostics
import SwiftSyntax

/// Where `@Inject` and `@Named` have no effect.
extension Refusal {
    static func injectWithoutInitializer(
        _ attribute: AttributeSyntax,
        _ declaration: some DeclSyntaxProtocol
    ) -> Refusal {
        Refusal(
            "injectWithoutInitializer",
            at: attribute,
            "@Inject marks the initialiser that @Resolvable shall use; it has no effect here",
            fixIts: .removal(of: attribute, from: declaration)
        )
    }

    static func outsideResolvableType(_ attribute: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) -> Refusal {
        Refusal(
            "outsideResolvableType",
            at: attribute,
            "@\(attribute.name) has an effect only within the declaration of a @Resolvable type",
            fixIts: .removal(of: attribute, from: declaration)
        )
    }

    static func namedWithoutStoredProperty(
        _ attribute: AttributeSyntax,
        _ declaration: some DeclSyntaxProtocol
    ) -> Refusal {
        Refusal(
            "namedWithoutStoredProperty",
            at: attribute,
            "@Named names what @Resolvable resolves for a stored property; it has no effect here",
            fixIts: .removal(of: attribute, from: declaration)
        )
    }

    static func namedWithDefault(_ attribute: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) -> Refusal {
        Refusal(
            "namedWithDefault",
            at: attribute,
            "@Named has no effect, because a property with a default value is not resolved; remove one of the two",
            fixIts: .removal(of: attribute, from: declaration)
        )
    }
}

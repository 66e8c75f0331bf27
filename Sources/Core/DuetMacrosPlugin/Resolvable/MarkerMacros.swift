import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Marks the initializer that `@Resolvable` uses, and generates nothing itself.
enum InjectMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if !declaration.is(InitializerDeclSyntax.self) || !context.isInResolvableType {
            let text = "@Inject has no effect here; it marks an initializer in the declaration of a @Resolvable type"
            context.diagnose(Diagnostic(at: node, text))
        }
        return []
    }
}

/// Sets the name under which `@Resolvable` resolves a property, and generates nothing itself.
enum NamedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let properties = declaration.as(VariableDeclSyntax.self)?.storedProperties ?? []
        if properties.isEmpty || properties.contains(where: \.hasDefault) || !context.isInResolvableType {
            context.diagnose(.ineffectiveName(node))
        }
        return []
    }
}

extension Diagnostic {
    /// A name of a property that is not resolved by itself.
    static func ineffectiveName(_ attribute: AttributeSyntax) -> Diagnostic {
        let text = """
            @Named has no effect here; it applies to stored properties without a default value, in the declaration of \
            a @Resolvable type without an initializer
            """
        return Diagnostic(at: attribute, text)
    }
}

extension MacroExpansionContext {
    /// Whether the innermost type around the expanded declaration has the attribute `@Resolvable`.
    var isInResolvableType: Bool {
        guard let type = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self) else { return false }
        return !type.attributes.named("Resolvable").isEmpty
    }
}

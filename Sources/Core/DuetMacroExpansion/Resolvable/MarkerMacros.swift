package import SwiftSyntax
package import SwiftSyntaxMacros

/// Marks the initializer that `@Resolvable` uses, and generates nothing itself.
package enum InjectMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if !declaration.is(InitializerDeclSyntax.self) {
            context.diagnose([.injectWithoutInitializer(node, declaration)])
        } else if !context.isInResolvableType {
            context.diagnose([.outsideResolvableType(node, declaration)])
        }
        return []
    }
}

/// Sets the name under which `@Resolvable` resolves a property, and generates nothing itself.
package enum NamedMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let properties = declaration.as(VariableDeclSyntax.self)?.storedProperties ?? []
        if properties.isEmpty {
            context.diagnose([.namedWithoutStoredProperty(node, declaration)])
        } else if !context.isInResolvableType {
            context.diagnose([.outsideResolvableType(node, declaration)])
        } else if properties.contains(where: \.hasDefault) {
            context.diagnose([.namedWithDefault(node, declaration)])
        }
        return []
    }
}

extension MacroExpansionContext {
    /// Whether the innermost type around the expanded declaration has the attribute `@Resolvable`.
    var isInResolvableType: Bool {
        guard let type = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self) else { return false }
        return !type.attributes.named("Resolvable").isEmpty
    }
}

package import SwiftSyntax
package import SwiftSyntaxMacros

/// Gives the name under which `@Resolvable` resolves a property; it makes nothing itself.
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

package import SwiftSyntax
package import SwiftSyntaxMacros

/// Marks the initialiser that `@Resolvable` uses; it makes nothing itself.
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

package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// Adds the scope around a SwiftUI view as a property.
package enum ResolvedScopeMacro: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else {
            context.diagnose([.notAView(node, declaration)])
            return []
        }
        return ["@SwiftUI.Environment(\\.scope) private var scope"]
    }
}

extension MacroDiagnostic {
    static func notAView(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> MacroDiagnostic {
        let text = "@ResolvedScope needs a struct that is a SwiftUI view, not \(declaration.phrase)"
        return MacroDiagnostic(removing: attribute, from: declaration, text)
    }
}

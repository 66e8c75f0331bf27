import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds the scope around a SwiftUI view as a property.
enum ResolvedScopeMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else {
            context.diagnose(.wrongKind(of: declaration, node, needs: "a struct that is a SwiftUI view"))
            return []
        }
        return ["@SwiftUI.Environment(\\.scope) private var scope"]
    }
}

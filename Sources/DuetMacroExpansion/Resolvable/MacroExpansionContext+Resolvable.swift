import SwiftSyntax
import SwiftSyntaxMacros

extension MacroExpansionContext {
    /// Whether the innermost type around what is expanded has the attribute `@Resolvable`.
    var isInResolvableType: Bool {
        guard let type = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self) else { return false }
        return !type.attributes.named("Resolvable").isEmpty
    }
}

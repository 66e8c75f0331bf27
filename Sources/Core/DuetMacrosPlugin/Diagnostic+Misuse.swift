import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The errors that the macros report: each names what to write, or the code would compile without it.
///
/// The compiler reports every other mistake, in the code that a macro writes. The page `MacroErrors` lists its texts.
extension Diagnostic {
    init(at node: some SyntaxProtocol, _ text: String) {
        self.init(node: node, message: MacroExpansionErrorMessage(text))
    }

    static func wrongKind(
        of declaration: some DeclGroupSyntax,
        _ attribute: AttributeSyntax,
        needs kind: String
    ) -> Diagnostic {
        Diagnostic(at: attribute, "@\(attribute.name) needs \(kind), not \(declaration.phrase)")
    }

    static func condition(_ condition: IfConfigDeclSyntax, _ attribute: AttributeSyntax) -> Diagnostic {
        let text = "cannot evaluate '#if'; move stored properties and initializers out of it"
        return Diagnostic(at: condition, "@\(attribute.name) \(text)")
    }

    /// A property in a tuple pattern, or without a type.
    static func unnamedProperty(_ property: StoredProperty, _ attribute: AttributeSyntax) -> Diagnostic {
        let text = "needs the name and the type of each stored property; declare each separately, and write its type"
        return Diagnostic(at: property.binding.pattern, "@\(attribute.name) \(text)")
    }
}

extension MacroExpansionContext {
    func diagnose(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { diagnose(diagnostic) }
    }
}

extension DeclGroupSyntax {
    /// The kind of the declaration in words.
    fileprivate var phrase: String {
        switch kind {
        case .enumDecl: "an enum"
        case .protocolDecl: "a protocol"
        case .extensionDecl: "an extension"
        case .classDecl: "a class"
        case .actorDecl: "an actor"
        default: "this declaration"
        }
    }
}

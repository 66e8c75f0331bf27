import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// An error in the use of a macro: its location, the reason, and possible corrections.
struct MacroDiagnostic: Error {
    let node: Syntax
    let message: Message
    let fixIts: [FixIt]

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - node: Its location.
    ///   - text: The reason.
    ///   - fixIts: Possible corrections.
    ///   - function: The function that creates it, whose base name is the identifier of the error.
    init(at node: some SyntaxProtocol, _ text: String, fixIts: [FixIt] = [], function: String = #function) {
        self.node = Syntax(node)
        message = Message(id: String(function.prefix { $0 != "(" }), text: text)
        self.fixIts = fixIts
    }

    /// Creates an error of an attribute that has no effect on a declaration, and can be removed.
    init(
        removing attribute: AttributeSyntax,
        from declaration: some SyntaxProtocol,
        _ text: String,
        function: String = #function
    ) {
        self.init(at: attribute, text, fixIts: .removal(of: attribute, from: declaration), function: function)
    }

    var diagnostic: Diagnostic {
        Diagnostic(node: node, message: message, fixIts: fixIts)
    }
}

extension MacroDiagnostic {
    struct Message: DiagnosticMessage, FixItMessage {
        let id: String
        let text: String

        var message: String { text }
        var severity: DiagnosticSeverity { .error }
        var diagnosticID: MessageID { MessageID(domain: "Duet", id: id) }
        var fixItID: MessageID { diagnosticID }
    }
}

extension MacroExpansionContext {
    func diagnose(_ diagnostics: [MacroDiagnostic]) {
        for diagnostic in diagnostics { diagnose(diagnostic.diagnostic) }
    }
}

extension FixIt {
    /// Replaces a node and keeps the white space and comments around it.
    static func replace(_ text: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        var replacement = Syntax(new)
        replacement.leadingTrivia = old.leadingTrivia
        replacement.trailingTrivia = old.trailingTrivia
        return FixIt(
            message: MacroDiagnostic.Message(id: "fixIt", text: text),
            changes: [.replace(oldNode: Syntax(old), newNode: replacement)]
        )
    }
}

extension [FixIt] {
    /// Removes an attribute, and the space after it, from a declaration.
    static func removal(of attribute: AttributeSyntax, from declaration: some SyntaxProtocol) -> [FixIt] {
        // The attribute may belong to another copy of the tree than the declaration.
        let text = attribute.trimmedDescription
        let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.all ?? []
        guard let attribute = attributes.last(where: { $0.trimmedDescription == text }),
            let next = attribute.nextToken(viewMode: .sourceAccurate)
        else { return [] }
        let start = attribute.positionAfterSkippingLeadingTrivia
        let range = start..<next.positionAfterSkippingLeadingTrivia
        return [
            FixIt(
                message: MacroDiagnostic.Message(id: "fixIt", text: "remove '\(text)'"),
                changes: [.replaceText(range: range, with: "", in: Syntax(declaration))]
            )
        ]
    }
}

extension DeclGroupSyntax {
    /// The kind of the declaration in words.
    var phrase: String {
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

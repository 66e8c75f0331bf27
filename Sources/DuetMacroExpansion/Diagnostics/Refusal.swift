import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Something that a macro cannot do: where, why, and what could be written instead.
struct Refusal: Error {
    let node: Syntax
    let message: Message
    let fixIts: [FixIt]

    init(_ id: String, at node: some SyntaxProtocol, _ text: String, fixIts: [FixIt] = []) {
        self.node = Syntax(node)
        message = Message(id: id, text: text)
        self.fixIts = fixIts
    }

    var diagnostic: Diagnostic {
        Diagnostic(node: node, message: message, fixIts: fixIts)
    }
}

extension Refusal {
    /// The text of a diagnostic or of one of its fix-its.
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
    func diagnose(_ refusals: [Refusal]) {
        for refusal in refusals { diagnose(refusal.diagnostic) }
    }
}

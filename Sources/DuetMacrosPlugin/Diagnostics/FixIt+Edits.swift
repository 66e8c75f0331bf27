import SwiftDiagnostics
import SwiftSyntax

extension FixIt {
    /// Replaces a node by another and keeps the white space and comments around it.
    static func replace(_ text: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        var replacement = Syntax(new)
        replacement.leadingTrivia = old.leadingTrivia
        replacement.trailingTrivia = old.trailingTrivia
        return FixIt(
            message: Refusal.Message(id: "fixIt", text: text),
            changes: [.replace(oldNode: Syntax(old), newNode: replacement)]
        )
    }

    /// Takes an attribute away from a declaration's list.
    static func remove(_ attribute: AttributeSyntax, from attributes: AttributeListSyntax) -> FixIt {
        let rest = attributes.filter { $0.id != attribute.id }
        return FixIt(
            message: Refusal.Message(id: "fixIt", text: "remove '\(attribute.trimmedDescription)'"),
            changes: [.replace(oldNode: Syntax(attributes), newNode: Syntax(rest))]
        )
    }
}

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
}

extension [FixIt] {
    /// Takes an attribute, and the space behind it, away from a declaration.
    static func removal(of attribute: AttributeSyntax, from declaration: some SyntaxProtocol) -> [FixIt] {
        // The attribute may come from another copy of the tree than the declaration.
        let text = attribute.trimmedDescription
        let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.all ?? []
        guard let attribute = attributes.last(where: { $0.trimmedDescription == text }),
            let next = attribute.nextToken(viewMode: .sourceAccurate)
        else { return [] }
        let start = attribute.positionAfterSkippingLeadingTrivia
        let range = start..<next.positionAfterSkippingLeadingTrivia
        return [
            FixIt(
                message: Refusal.Message(id: "fixIt", text: "remove '\(text)'"),
                changes: [.replaceText(range: range, with: "", in: Syntax(declaration))]
            )
        ]
    }
}

import SwiftSyntax

extension DeclGroupSyntax {
    /// The kind of declaration in words.
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

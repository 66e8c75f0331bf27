/// The server does not do what a command says for whoever sent it.
public enum AccessDenied: Error, Hashable, CaseIterable, Sendable {
    /// It does not know who sent the command: there was no token, or one that is not valid, or no longer.
    case unknownSender

    /// It knows who sent the command, and does not let them.
    case notPermitted
}

extension AccessDenied: CustomStringConvertible {
    /// What was refused and what is needed.
    public var description: String {
        switch self {
        case .unknownSender: "The server wants a valid token for this."
        case .notPermitted: "The token does not permit this."
        }
    }
}

public import Duet

/// The server refuses a command from this sender.
public enum AccessDenied: DeclaredError, Hashable, CaseIterable {
    /// The sender is unknown, because the token is missing, invalid or revoked.
    case unknownSender

    /// The sender is known but lacks the permission.
    case notPermitted
}

extension AccessDenied: CustomStringConvertible {
    /// The refusal and the requirement.
    public var description: String {
        switch self {
        case .unknownSender: "The server requires a valid token for this."
        case .notPermitted: "The token does not permit this."
        }
    }
}

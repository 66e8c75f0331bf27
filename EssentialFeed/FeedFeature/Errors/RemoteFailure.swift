/// Why the server was of no use.
public struct RemoteFailure: Error, Hashable, Sendable {
    /// The two ways in which the remote side fails.
    public enum Kind: Hashable, Sendable {
        /// The request failed: there was no answer.
        case connectivity

        /// The answer is not what was agreed on.
        case invalidData
    }

    /// Which of the two it was.
    public let kind: Kind

    /// What happened, for a log or a terminal; a screen says it in its own words.
    public let reason: String

    /// Makes a failure of a kind, with its reason.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The request failed.
    public static func connectivity(_ reason: String) -> RemoteFailure {
        RemoteFailure(.connectivity, reason: reason)
    }

    /// The answer is not what was agreed on.
    public static func invalidData(_ reason: String) -> RemoteFailure {
        RemoteFailure(.invalidData, reason: reason)
    }
}

extension RemoteFailure: CustomStringConvertible {
    /// What failed and why.
    public var description: String {
        switch kind {
        case .connectivity: "The server could not be reached: \(reason)"
        case .invalidData: "The server's answer could not be used: \(reason)"
        }
    }
}

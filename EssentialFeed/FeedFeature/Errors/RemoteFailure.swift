public import Duet

/// A failure of the server, or of the way to it.
public struct RemoteFailure: Error, Hashable, CustomStringConvertible {
    /// The two kinds of remote failures.
    public enum Kind: Hashable, Sendable {
        /// The request failed, or the server has no place for it at the moment.
        case connectivity

        /// The response is not valid.
        case invalidData
    }

    /// The kind of the failure.
    public let kind: Kind

    /// The details for a log or a terminal; a screen has its own texts.
    public let reason: String

    /// Whether the server has nothing at the address: it responded with 404 or 410.
    public let isMissing: Bool

    /// Whether a repeated request may succeed.
    public let isTemporary: Bool

    /// How long the server asks to wait before the next request, if it does.
    public let retryAfter: Duration?

    /// Creates a failure, which is temporary by default if it is one of the connection.
    public init(
        _ kind: Kind,
        reason: String,
        isMissing: Bool = false,
        isTemporary: Bool? = nil,
        retryAfter: Duration? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.isMissing = isMissing
        self.isTemporary = isTemporary ?? (kind == .connectivity)
        self.retryAfter = retryAfter
    }

    /// Creates a failure of the request.
    public static func connectivity(_ reason: String) -> RemoteFailure {
        RemoteFailure(.connectivity, reason: reason)
    }

    /// Creates a failure for an invalid response.
    public static func invalidData(_ reason: String, isMissing: Bool = false) -> RemoteFailure {
        RemoteFailure(.invalidData, reason: reason, isMissing: isMissing)
    }

    /// The failure and its reason.
    public var description: String {
        switch kind {
        case .connectivity: "The server could not be reached: \(reason.safe())"
        case .invalidData: "The server's response could not be used: \(reason.safe())"
        }
    }
}

extension RemoteFailure: TemporaryError {}

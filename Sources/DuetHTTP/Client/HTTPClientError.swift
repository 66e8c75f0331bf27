import Duet

/// Why a request got no complete answer.
///
/// A URL in one of these is scheme, host and path as they were sent, without user information and query. What must not be
/// logged belongs into a query, a field or a body: those are never in here.
@nonexhaustive
public enum HTTPClientError: Error {
    /// The request cannot be sent as it is: it has no scheme or authority, or another scheme than `http` or `https`.
    case invalidRequest(reason: String)

    /// No connection, one that broke before the answer was complete, or an answer that is not HTTP.
    case connectionFailed(url: String, reason: String? = nil, underlying: any Error)

    /// Head and body of the answer were not there within the deadline.
    case deadlineExceeded(url: String, after: Duration)

    /// The body of the answer is larger than the client takes.
    case bodyTooLarge(url: String, limit: Int)

    /// The server redirected in a ring, or more often than the client follows.
    case tooManyRedirects(url: String)

    /// The server redirected to where the client does not go.
    case redirectRefused(url: String, reason: String)

    /// So many requests already wait for their turn that this one was not sent.
    case tooManyWaiting(url: String, limit: Int)

    /// The client was shut down before the answer was complete.
    case shutDown(url: String)

    /// Several attempts were made and none got an answer; `last` is why the last one failed, and ``reason`` too.
    indirect case attemptsFailed([HTTPAttempt], last: HTTPClientError)
}

extension HTTPClientError {
    /// Why there was no answer in the end: of several attempts the reason of the last, and otherwise the error itself.
    ///
    /// Who tells errors apart asks this one, so that it makes no difference whether there were retries.
    public var reason: HTTPClientError {
        guard case .attemptsFailed(_, let last) = self else { return self }
        return last.reason
    }

    /// Whether there was no connection, so that nothing was done and the request may be sent again, whatever it asks for.
    ///
    /// False where nobody knows.
    public var isUnsent: Bool {
        switch self {
        case .connectionFailed(_, _, let underlying): underlying is NotConnected
        case .attemptsFailed(let attempts, _): attempts.allSatisfy(\.isUnsent)
        default: false
        }
    }

    /// The same where something may have been done: a part of the request was sent, or another one before a redirect.
    package var afterSending: HTTPClientError {
        switch self {
        case .connectionFailed(let url, let reason, let underlying as NotConnected):
            .connectionFailed(url: url, reason: reason, underlying: underlying.underlying)
        case .attemptsFailed(let attempts, let last):
            .attemptsFailed(attempts.map(\.afterSending), last: last.afterSending)
        default: self
        }
    }

    /// The attempts that were made, if there were several.
    public var attempts: [HTTPAttempt] {
        guard case .attemptsFailed(let attempts, _) = self else { return [] }
        return attempts
    }
}

extension HTTPClientError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .invalidRequest(let reason):
            "The request cannot be sent: \(reason)."
        case .connectionFailed(let url, let reason, let underlying):
            "No answer from \(url): \(reason ?? "\(underlying)")."
                + (underlying is NotConnected ? " Is the server running there?" : "")
        case .deadlineExceeded(let url, let duration):
            "No complete answer from \(url) within \(duration.inMilliseconds)."
        case .bodyTooLarge(let url, let limit):
            "The answer from \(url) is larger than \(limit) bytes. Raise the client's body limit if that is right."
        case .tooManyRedirects(let url):
            "\(url) redirects in a ring or too often."
        case .redirectRefused(let url, let reason):
            "\(url) redirects to where this client does not go: \(reason)."
        case .tooManyWaiting(let url, let limit):
            "Not sent to \(url): \(limit) requests wait for their turn. Send fewer at a time, or let more of them wait."
        case .shutDown(let url):
            "No answer from \(url): this HTTP client was shut down. Send requests before shutting it down."
        case .attemptsFailed(let attempts, let last):
            "\(attempts.count) attempts failed (\(attempts.dropLast().map(\.description).joined(separator: "; "))). \(last)"
        }
    }
}

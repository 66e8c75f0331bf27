/// Why a request got no complete answer.
@nonexhaustive
public enum HTTPClientError: Error {
    /// The request cannot be sent as it is: it has no scheme or authority, or another scheme than `http` or `https`.
    case invalidRequest(reason: String)

    /// No connection, or one that broke before the answer was complete.
    case connectionFailed(url: String, underlying: any Error)

    /// Head and body of the answer were not there within the deadline.
    case deadlineExceeded(url: String, after: Duration)

    /// The body of the answer is larger than the client takes.
    case bodyTooLarge(url: String, limit: Int)

    /// The server redirected in a ring, or more often than the client follows.
    case tooManyRedirects(url: String)
}

extension HTTPClientError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .invalidRequest(let reason):
            "The request cannot be sent: \(reason)"
        case .connectionFailed(let url, let underlying):
            "No answer from \(url): \(underlying). Is the server running there?"
        case .deadlineExceeded(let url, let duration):
            "No complete answer from \(url) within \(duration)."
        case .bodyTooLarge(let url, let limit):
            "The answer from \(url) is larger than \(limit) bytes. Raise the client's body limit if that is right."
        case .tooManyRedirects(let url):
            "\(url) redirects in a ring or too often."
        }
    }
}

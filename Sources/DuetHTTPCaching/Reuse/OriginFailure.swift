package import HTTPTypes

/// How an origin failed, so that a stale response may stand in for it (RFC 5861, section 4).
package enum OriginFailure: Sendable, Hashable {
    /// There was no answer.
    case unreachable
    /// The answer was an error of the server.
    case status(Int)

    package init?(_ response: HTTPResponse) {
        guard [500, 502, 503, 504].contains(response.status.code) else { return nil }
        self = .status(response.status.code)
    }
}

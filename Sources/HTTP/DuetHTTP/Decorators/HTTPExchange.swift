import Duet
public import HTTPTypes

/// How one request ended, without user information, query, bodies and header fields except the cache status.
///
/// The path is shown as it was sent, with the values that a message puts there. This package's errors show no more than
/// that; those of other clients and of token sources may.
public struct HTTPExchange: Sendable {
    /// The stable name of the message; nil for a request that was not made from one.
    public let messageName: String?

    /// The method of the request.
    public let method: HTTPRequest.Method

    /// Scheme, host and path as they were sent, without user information and query.
    public let url: String

    /// The path with names in place of values, `v1/image/{id}`, below the base URL; nil for a request without a
    /// message.
    ///
    /// Log this where a path may hold secrets. Leave out ``description`` then, and log only the type of ``error``,
    /// whose description names the URL.
    public let pathTemplate: String?

    /// The number of the attempt; 1 for the first, and where there is no retry outside of the log.
    public let attempt: Int

    /// The status of the response; nil when there was none.
    public let status: HTTPResponse.Status?

    /// The result of the nearest cache, such as `hit` or `fwd=stale` (RFC 9211, section 2); nil without a cache.
    public let cache: String?

    /// How many bytes of the response's body were read; nil when there was no response.
    public let bodySize: Int?

    /// Why there was no response or, beside a status, why its body was not read to the end; nil when it was.
    ///
    /// It is a `CancellationError` when the reader stopped.
    public let error: (any Error)?

    /// The duration until the end of the body.
    public let duration: Duration
}

extension HTTPExchange: CustomStringConvertible {
    /// All properties in one line.
    public var description: String {
        let name = messageName.map { "\($0): " } ?? ""
        let again = attempt > 1 ? ", attempt \(attempt)" : ""
        let response = status.map { "\($0.code), \(bodySize ?? 0) bytes" + (cache.map { ", cache \($0)" } ?? "") }
        let outcome = [response, error.map { "\($0)" }].compactMap(\.self)
        return "\(name)\(method) \(url)\(again), \(duration.text): \(outcome.joined(separator: ", then "))"
    }
}

import Duet
public import HTTPTypes

/// How one request went: no user, no query, no bodies, and no fields but what a cache told.
///
/// The path is there as it was sent, with what a message puts there. This package's own errors say no more than that; one
/// that another client or a source of tokens throws may.
public struct HTTPExchange: Sendable {
    /// The stable name of the message; nil for a request that is not made of one.
    public let messageName: String?

    /// The method of the request.
    public let method: HTTPRequest.Method

    /// Scheme, host and path as they were sent, without user information and query.
    public let url: String

    /// The path with names in place of values, `v1/image/{id}`, below the base URL; nil for a request that is not made of a message.
    ///
    /// It is what a log shows where a path may hold secrets. Such a log leaves out ``description`` too, and shows the type of
    /// ``error`` only: what that says of itself names the URL.
    public let pathTemplate: String?

    /// Which attempt of a retry it was; the first is 1, also where there is no retry outside of the log.
    public let attempt: Int

    /// The status of the answer; nil when there was none.
    public let status: HTTPResponse.Status?

    /// What the nearest cache did, `hit` or `fwd=stale`, say (RFC 9211, section 2); nil when none told.
    public let cache: String?

    /// How many bytes of the answer's body were read; nil when there was no answer.
    public let bodySize: Int?

    /// Why there was no answer or, beside a status, why not all of its body was read; nil when all of it was.
    ///
    /// It is a `CancellationError` when whoever read it stopped.
    public let error: (any Error)?

    /// How long it took, until the end of the body.
    public let duration: Duration
}

extension HTTPExchange: CustomStringConvertible {
    /// All of it, in one line.
    public var description: String {
        let name = messageName.map { "\($0): " } ?? ""
        let again = attempt > 1 ? ", attempt \(attempt)" : ""
        let answer = status.map { "\($0.code), \(bodySize ?? 0) bytes" + (cache.map { ", cache \($0)" } ?? "") }
        let outcome = [answer, error.map { "\($0)" }].compactMap(\.self)
        return "\(name)\(method) \(url)\(again), \(duration.inMilliseconds): \(outcome.joined(separator: ", then "))"
    }
}

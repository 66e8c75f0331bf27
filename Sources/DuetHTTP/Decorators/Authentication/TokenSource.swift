/// Where bearer tokens come from and where new ones are kept.
///
/// ``LoginTokens`` is one that logs in; write another to keep tokens elsewhere, or to use refresh tokens (RFC 6749).
public protocol TokenSource: Sendable {
    /// The token to send, asked before each request, by many at the same time; nil to send none.
    ///
    /// It runs in the request's task and is cancelled with it, and has nothing else of it: neither its `ServiceContext` nor
    /// its ``HTTPRequestOptions``.
    ///
    /// - Throws: What the request then fails with, in a ``TokenUnavailable``.
    func current() async throws -> String?

    /// Gets a token in place of one that the server does not take, and makes it the current one.
    ///
    /// It is called once for all requests that wait for it, and runs to its end even when none of them waits any longer: a
    /// server may have changed the refresh token by then (RFC 9700, section 4.14.2), and the new one must not be lost. So it
    /// should have a deadline of its own. It has nothing of the requests' `ServiceContext` and ``HTTPRequestOptions``.
    ///
    /// - Parameter rejected: The token that was not taken; nil when none was sent.
    /// - Returns: The new token; nil when there is none to be had, and the server's refusal stands.
    /// - Throws: What all who wait are told, in a ``TokenUnavailable``.
    func refresh(replacing rejected: String?) async throws -> String?
}

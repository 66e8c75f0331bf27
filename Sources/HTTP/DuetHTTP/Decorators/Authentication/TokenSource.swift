import Duet

/// Supplies tokens, usually bearer tokens (RFC 6750), and refreshes them.
///
/// ``LoginTokenSource`` is a source that logs in. Write another to keep tokens elsewhere, or to use refresh tokens (RFC
/// 6749):
///
/// ```swift
/// actor RefreshTokens: TokenSource {
///     private var pair: TokenPair
///     private let renew: @Sendable @concurrent (_ refreshToken: String) async throws -> TokenPair
///
///     init(_ pair: TokenPair, renew: @escaping @Sendable @concurrent (String) async throws -> TokenPair) {
///         self.pair = pair
///         self.renew = renew
///     }
///
///     func current() async throws -> String? { pair.access }
///
///     func refresh(replacing rejected: String?) async throws -> String? {
///         pair = try await renew(pair.refresh)
///         return pair.access
///     }
/// }
/// ```
public protocol TokenSource: Sendable {
    /// The scheme of the tokens in the field `Authorization`; `Bearer` by default.
    var scheme: String { get }

    /// Returns the token to send, or nil to send none; called before each request, concurrently.
    ///
    /// It runs in the request's task and is canceled with it. Of the request's `ServiceContext`, it has the principal,
    /// which it can compare with the account that is signed in. It does not have the ``HTTPRequestOptions``.
    ///
    /// - Throws: Any error; the request then fails with it in a ``TokenUnavailable``.
    func current() async throws -> String?

    /// Gets a token in place of one that the server rejected, and makes it the current one.
    ///
    /// It is called once for all requests that wait for it, and continues when none of them waits any longer: a server
    /// may have replaced the refresh token by then (RFC 9700, section 4.14.2), and the new one must not be lost. So
    /// give it its own deadline. Of the `ServiceContext`, it has the principal of the first of these requests.
    ///
    /// - Parameter rejected: The token that the server rejected; nil when none was sent.
    /// - Returns: The new token; nil when there is none, and the server's rejection is the response.
    /// - Throws: Any error; all waiting requests fail with it in a ``TokenUnavailable``.
    func refresh(replacing rejected: String?) async throws -> String?
}

extension TokenSource {
    /// `Bearer` (RFC 6750).
    public var scheme: String { "Bearer" }
}

/// The error of a token source, because of which a request was not sent, or not sent again after its token was
/// rejected.
///
/// It is not an ``HTTPClientError``, whatever it contains: to retry the request would only ask for a token again.
public struct TokenUnavailable: Error {
    /// The error that the source threw.
    public let underlying: any Error

    package init(underlying: any Error) {
        self.underlying = underlying
    }
}

extension TokenUnavailable: CustomStringConvertible {
    /// The error of the source, and where to look unless the error is temporary.
    public var description: String {
        "No token for the request: \("\(underlying)".safe().asSentence)"
            + (isTemporary ? "" : " Check what the token source needs.")
    }
}

extension StringProtocol {
    /// Whether this is a valid bearer token: a `b64token` (RFC 6750, section 2.1).
    package var isBearerToken: Bool {
        let rest = utf8.drop {
            PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        return rest.startIndex != utf8.startIndex && rest.allSatisfy { $0 == UInt8(ascii: "=") }
    }
}

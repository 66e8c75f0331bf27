public import HTTPTypes
import Synchronization

/// Sends a token, such as a bearer token, with each request to one origin, and refreshes it when the server rejects it.
///
/// Requests that get a 401 at the same time share one refresh, and each is sent once more. A second 401 is the
/// response. If a refresh fails, all requests that wait for it fail; later requests try again. A retry outside does not
/// repeat a request after an error of the token source.
///
/// A request whose body comes in pieces is not sent again, because they can be read only once; the next request has the
/// new token. A request that has an `Authorization` field, or goes to another origin, is forwarded unchanged.
public struct AuthenticatingHTTPClient: HTTPClientDecorator {
    /// The client that sends the authenticated requests.
    public let base: any HTTPClient

    private let server: TokenServer
    private let statuses: Set<Int>
    private let tokens: TokenRefresher
    private let scheme: String

    /// How many requests wait for a new token.
    package var waiting: Int { tokens.waiting }

    package init(
        _ base: any HTTPClient,
        tokens source: any TokenSource,
        at server: BaseURL? = nil,
        refreshingOn statuses: Set<Int> = [401]
    ) {
        self.base = base
        self.statuses = statuses
        self.server = server.map { .named($0.origin) } ?? .ofDispatcher(OnlyOrigin())
        tokens = TokenRefresher(source)
        scheme = source.scheme
    }

    /// That requests are authenticated, without a token.
    public var summary: String { "\(scheme.lowercased()) token" }

    /// True: a cache outside would not know whose a response is.
    public var addsCredentials: Bool { true }

    /// Sends the request with the current token, and once more with a new one when the server rejects it.
    ///
    /// - Throws: ``TokenUnavailable`` with the error of the source; ``HTTPClientError/invalidRequest(reason:)`` for a
    ///   token that is not valid in a field, or whose server is not known; the errors of `base`; `CancellationError`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard !request.headerFields.contains(.authorization) else { return try await base.send(request, body: body) }
        let origin = try server.origin()
        guard origin != nil, HTTPOrigin(request) == origin else { return try await base.send(request, body: body) }
        let token = try await available { try await tokens.current() }
        var (response, received) = try await base.send(request.bearing(token, scheme), body: body)
        guard statuses.contains(response.status.code) else { return (response, received) }
        // Read before a new token is requested, which may need the connection that the response occupies.
        let content = try await received.collected(upTo: Self.rejectionLimit, for: request)
        received = HTTPBody(content)
        guard let newToken = try await available({ try await tokens.token(replacing: token) }), body.canBeSentAgain
        else { return (response, received) }
        // A request whose credentials were rejected was not applied (RFC 9110, section 15.5.2), so any method may be
        // repeated.
        var replay = try request.bearing(newToken, scheme)
        replay.renewTimeout()
        return try await base.send(replay, body: body)
    }

    /// The largest body of a response that rejects a token.
    private static let rejectionLimit = 1024 * 1024

    /// Wraps the errors of the source, which may have the same type as those of the request.
    private func available(_ token: () async throws -> String?) async throws -> String? {
        do {
            return try await token()
        } catch let error where error is CancellationError || error is TokenUnavailable {
            throw error
        } catch {
            throw TokenUnavailable(underlying: error)
        }
    }
}

extension AuthenticatingHTTPClient: CustomReflectable {
    /// Empty, because the source may hold tokens.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPClient {
    /// Sends the tokens of `source` to one origin only, and refreshes them when the server rejects them.
    ///
    /// ```swift
    /// let client = client.authenticated(by: .bearer("a-long-secret"))
    /// return HTTPDispatcher(baseURL: server, client: client)
    /// ```
    ///
    /// - Parameters:
    ///   - source: Supplies and refreshes the tokens.
    ///   - server: The server that the tokens are for; nil for the one whose ``HTTPDispatcher`` uses this client. Then
    ///     a request fails that no dispatcher sends, or another server's dispatcher.
    ///   - statuses: The statuses with which the server rejects a token. Some APIs use 403 or 400 for an expired token.
    ///     The price is that each such response, whatever its cause, costs a refresh and a second request.
    public func authenticated(
        by source: any TokenSource,
        at server: BaseURL? = nil,
        refreshingOn statuses: Set<Int> = [401]
    ) -> AuthenticatingHTTPClient {
        AuthenticatingHTTPClient(self, tokens: source, at: server, refreshingOn: statuses)
    }
}

private enum TokenServer {
    case named(HTTPOrigin?)
    case ofDispatcher(OnlyOrigin)

    /// The origin for the request that is being sent in this task.
    ///
    /// - Throws: ``HTTPClientError/invalidRequest(reason:)`` if that is not the one origin that the tokens are for.
    func origin() throws(HTTPClientError) -> HTTPOrigin? {
        switch self {
        case .named(let origin): return origin
        case .ofDispatcher(let only):
            guard let origin = HTTPRequestOptions.current.server else {
                throw .invalidRequest(
                    reason:
                        "no dispatcher sends it, so that its token has no server; name one with authenticated(by:at:)"
                )
            }
            guard only.accepts(origin) else {
                throw .invalidRequest(
                    reason: """
                        its token is for the server of another dispatcher; give each server its own client, or name the \
                        server with authenticated(by:at:)
                        """
                )
            }
            return origin
        }
    }
}

private final class OnlyOrigin: Sendable {
    private let first = Mutex<HTTPOrigin?>(nil)

    func accepts(_ origin: HTTPOrigin) -> Bool {
        first.withLock { first in
            if first == nil { first = origin }
            return first == origin
        }
    }
}

extension HTTPRequest {
    fileprivate func bearing(_ token: String?, _ scheme: String) throws(HTTPClientError) -> HTTPRequest {
        guard let token else { return self }
        guard token.isBearerToken else {
            throw .invalidRequest(
                reason: """
                    its \(scheme.lowercased()) token is not valid: it is empty, or has characters that no token may have
                    """
            )
        }
        var request = self
        request.headerFields[.authorization] = "\(scheme) \(token)"
        return request
    }
}

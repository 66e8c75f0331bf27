public import HTTPTypes

/// Sends a bearer token (RFC 6750) with each request to one origin, and gets a new one when the server does not take it.
///
/// A 401 leads to one refresh for all requests that get one meanwhile, and to one replay of each. A request that gets 401
/// again ends with that; a refresh that fails, fails all who wait for it, and is tried again only for later requests. Put a
/// retry outside: it does not repeat what a source of tokens failed with.
/// One whose body comes in pieces is not replayed, as they are gone: the next one has the new token.
/// A request that has an `Authorization` field keeps it and is left alone, and so is one to another origin.
public struct BearerAuthenticatingHTTPClient: HTTPClientDecorator {
    /// The client that sends the requests with their tokens.
    public let base: any HTTPClient

    private let origin: HTTPOrigin?
    private let statuses: Set<Int>
    private let tokens: TokenRefresher

    /// How many requests wait for a new token.
    package var waiting: Int { tokens.waiting }

    /// Sends the tokens of `source` to the server of `server`, and to no other.
    ///
    /// - Parameters:
    ///   - base: The client that sends the requests with their tokens.
    ///   - source: Where tokens come from.
    ///   - server: The server that they are for.
    ///   - statuses: The statuses that say that a token is not taken. An API that answers an old token with 403 or 400 needs
    ///     that, at a price: each such answer, whatever it is about, costs a refresh and is asked for twice.
    public init(
        _ base: any HTTPClient,
        tokens source: any TokenSource,
        at server: BaseURL,
        refreshingOn statuses: Set<Int> = [401]
    ) {
        self.base = base
        self.statuses = statuses
        origin = HTTPOrigin(server.request(.get))
        tokens = TokenRefresher(source)
    }

    /// That there are tokens, and no token.
    public var summary: String { "bearer token" }

    /// True: a cache in front of it would not know whose an answer is.
    public var addsCredentials: Bool { true }

    /// Sends the request with the current token, and once more with a new one when that is not taken.
    ///
    /// - Throws: ``TokenUnavailable`` with what the source throws; ``HTTPClientError/invalidRequest(reason:)`` for a token that
    ///   cannot stand in a field; what `base` throws; `CancellationError`.
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard !request.headerFields.contains(.authorization), origin != nil, HTTPOrigin(request) == origin else {
            return try await base.stream(request, body: body)
        }
        let token = try await available { try await tokens.current() }
        var answer = try await base.stream(request.bearing(token), body: body)
        guard statuses.contains(answer.0.status.code) else { return answer }
        // Read before a new token is asked for, which may need the connection or the place that the answer has.
        answer.1 = HTTPBody(try await answer.1.collect(upTo: Self.refusalLimit, orThrow: Self.tooLarge(request)))
        guard let newToken = try await available({ try await tokens.token(replacing: token) }),
            body?.isGoneWhenSent != true
        else { return answer }
        // A request without credentials that are taken was not applied (RFC 9110, section 15.5.2): any method may be sent again.
        var replay = try request.bearing(newToken)
        replay.renewTimeout()
        return try await base.stream(replay, body: body)
    }

    /// How long an answer may be that says that a token is not taken.
    private static let refusalLimit = 1024 * 1024

    private static func tooLarge(_ request: HTTPRequest) -> HTTPClientError {
        .bodyTooLarge(url: request.loggableURL, limit: refusalLimit)
    }

    /// What the source says, with its errors told apart from those of the request: they may be of the same type.
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

extension BearerAuthenticatingHTTPClient: CustomStringConvertible, CustomReflectable {
    /// What the decorator adds; no token.
    public var description: String { summary }

    /// Nothing of the source, which may hold tokens.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPClient {
    /// Sends the tokens of `source` to the server of `server`, and to no other, and refreshes them when they are not taken.
    ///
    /// - Parameters:
    ///   - source: Where tokens come from.
    ///   - server: The server that they are for.
    ///   - statuses: The statuses that say that a token is not taken. An API that answers an old token with 403 or 400 needs
    ///     that, at a price: each such answer, whatever it is about, costs a refresh and is asked for twice.
    public func authenticated(
        by source: any TokenSource,
        at server: BaseURL,
        refreshingOn statuses: Set<Int> = [401]
    ) -> BearerAuthenticatingHTTPClient {
        BearerAuthenticatingHTTPClient(self, tokens: source, at: server, refreshingOn: statuses)
    }
}

extension HTTPRequest {
    fileprivate func bearing(_ token: String?) throws(HTTPClientError) -> HTTPRequest {
        guard let token else { return self }
        guard token.isBearerToken else {
            throw .invalidRequest(
                reason: "its bearer token is none: it is empty, or has characters that no token may have"
            )
        }
        var request = self
        request.headerFields[.authorization] = "Bearer \(token)"
        return request
    }
}

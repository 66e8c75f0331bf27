public import Foundation
public import HTTPTypes

/// Sends a bearer token (RFC 6750) with each request to one origin, and gets a new one when the server does not take it.
///
/// A 401 leads to one refresh for all requests that get one meanwhile, and to one replay of each. A request that gets 401
/// again ends with that; a refresh that fails, fails all who wait for it, and is tried again only for later requests.
/// A request that has an `Authorization` field keeps it and is left alone, and so is one to another origin.
public struct BearerAuthenticatingHTTPClient: HTTPClientDecorator {
    /// The client that sends the requests with their tokens.
    public let base: any HTTPClient

    private let origin: HTTPOrigin?
    private let tokens: TokenRefresher

    /// How many requests wait for a new token.
    package var waiting: Int { tokens.waiting }

    /// Sends the tokens of `source` to the server of `server`, and to no other.
    public init(_ base: any HTTPClient, tokens source: any TokenSource, at server: BaseURL) {
        self.base = base
        origin = HTTPOrigin(server.request(.get, ""))
        tokens = TokenRefresher(source)
    }

    /// That there are tokens, and no token.
    public var summary: String { "bearer token" }

    /// Sends the request with the current token, and once more with a new one when the answer is 401.
    ///
    /// - Throws: What the source throws; ``HTTPClientError/invalidRequest(reason:)`` for a token that cannot stand in a field;
    ///   what `base` throws.
    public func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        guard !request.headerFields.contains(.authorization), origin != nil, HTTPOrigin(request) == origin else {
            return try await base.send(request, body: body)
        }
        let token = try await tokens.current()
        let answer = try await base.send(request.bearing(token), body: body)
        guard answer.0.status == .unauthorized, let newToken = try await tokens.token(replacing: token) else {
            return answer
        }
        // A request without credentials that are taken was not applied (RFC 9110, section 15.5.2): any method may be sent again.
        var replay = try request.bearing(newToken)
        replay.renewTimeout()
        return try await base.send(replay, body: body)
    }
}

extension BearerAuthenticatingHTTPClient: CustomStringConvertible, CustomReflectable {
    /// What the decorator adds; no token.
    public var description: String { summary }

    /// Nothing of the source, which may hold tokens.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPClient {
    /// Sends the tokens of `source` to the server of `server`, and to no other, and refreshes them after a 401.
    public func authenticated(by source: any TokenSource, at server: BaseURL) -> BearerAuthenticatingHTTPClient {
        BearerAuthenticatingHTTPClient(self, tokens: source, at: server)
    }
}

extension HTTPRequest {
    fileprivate func bearing(_ token: String?) throws(HTTPClientError) -> HTTPRequest {
        guard let token else { return self }
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidRequest(reason: "its bearer token is empty, or has characters that no field may have")
        }
        var request = self
        request.headerFields[.authorization] = "Bearer \(token)"
        return request
    }
}

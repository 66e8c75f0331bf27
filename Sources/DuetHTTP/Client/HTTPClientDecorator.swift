public import Foundation
public import HTTPTypes

/// A client that adds one concern to another client.
///
/// Each decorator is an operator on ``HTTPClient``, and the last one applied is the outermost, which a request comes to
/// first. In this order each does what one expects of it; ``HTTPClient/layers`` prints it:
///
/// ```swift
/// let client = NIOHTTPClient()
///     .limiting(concurrency: 20)                  // a request that waits to be sent again holds no place
///     .authenticated(by: tokens, at: server)      // each attempt and each redirect with the token of then
///     .retrying()
///     .followingRedirects()                       // the GET after a command is tried again, not the command
///     .limiting(bodySize: 1_000_000)
///     .deadline(.seconds(30))                     // over all of it
///     .logging { print($0) }                      // one line for each request; nearer to the client, for each attempt
/// ```
///
/// A cache (`caching()` in `DuetHTTPCaching`) stands nearer to the network than `authenticated`, so that it sees whose an answer is.
/// A message can go past a decorator by naming its type in ``HTTPMessage/withoutDecorators``; ``send(_:body:)`` and ``stream(_:body:)`` see to that.
public protocol HTTPClientDecorator: HTTPClient {
    /// The client that is decorated.
    var base: any HTTPClient { get }

    /// What the decorator adds, in a few words with its settings: `retry, at most 3 attempts`.
    var summary: String { get }

    /// Whether the decorator gives requests credentials, which the clients in front of it do not see; false unless it says so.
    ///
    /// A cache in front of one would serve the answer to one user to another, and refuses to.
    var addsCredentials: Bool { get }

    /// Sends the request through `base` with the concern added; bodies are handed on as they come.
    ///
    /// Who wants the answer whole goes through this too: then `base` has each body whole, as ``HTTPBody/whole``. A decorator
    /// for which that is another matter has a ``send(_:body:through:)`` of its own besides.
    ///
    /// - Parameter base: What to send with, instead of the decorator's own.
    /// - Throws: What the decorated client throws, or what the concern is about.
    func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody)

    /// Sends the request through `base` with the concern added, and has the answer whole.
    ///
    /// - Throws: What the decorated client throws, or what the concern is about.
    func send(_ request: HTTPRequest, body: Data?, through base: any HTTPClient) async throws -> (HTTPResponse, Data)
}

extension HTTPClientDecorator {
    /// False.
    public var addsCredentials: Bool { false }

    /// Sends the request as ``stream(_:body:through:)`` does, through a `base` that has each body whole.
    public func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        let body = body.map { HTTPBody($0) }
        let (response, answer) = try await stream(request, body: body, through: WholeBodies(base: base))
        if let whole = answer.whole { return (response, whole) }
        return (response, try await answer.collected(answering: request))
    }

    /// Sends the request with the concern added, or past it when the message says so.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        if HTTPRequestOptions.skip(Self.self) {
            return try await base.send(request, body: body)
        }
        return try await send(request, body: body, through: base)
    }

    /// Sends the request with the concern added, or past it when the message says so, and hands bodies on as they come.
    public func stream(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        if HTTPRequestOptions.skip(Self.self) {
            return try await base.stream(request, body: body)
        }
        return try await stream(request, body: body, through: base)
    }
}

extension HTTPClient {
    /// What a request goes through, from the outermost decorator to the client that sends it, one summary for each.
    public var layers: [String] {
        guard let decorator = self as? any HTTPClientDecorator else { return ["\(Self.self)"] }
        return [decorator.summary] + decorator.base.layers
    }

    /// What adds credentials nearer to the network than this, as it calls itself; nil when nothing says that it does.
    package var credentialsLayer: String? {
        guard let decorator = self as? any HTTPClientDecorator else { return nil }
        return decorator.addsCredentials ? decorator.summary : decorator.base.credentialsLayer
    }
}

public import HTTPTypes

/// A client that adds one concern to another client.
///
/// Each decorator is also an operator on ``HTTPClient``. A request reaches the decorator that was applied last first.
/// Apply decorators in this order, nearest the network first; ``HTTPClient/layers`` prints a client's decorators.
/// The cache is in DuetHTTPCaching, telemetry in DuetTelemetry.
///
/// ```swift
/// func decorate(_ client: any HTTPClient, tokens: some TokenSource) -> any HTTPClient {
///     client
///         // Requests that wait for their next attempt do not count.
///         .limiting(concurrency: 20, waiting: 1_000)
///         // Sees the credentials, so it knows whose a response is.
///         .caching()
///         // Each attempt has the token that is current at the time, a measurement and a span.
///         .authenticated(by: tokens)
///         .measuring()
///         .tracing()
///         .retrying(HTTPRetryPolicy(maximumAttempts: 4, budget: .share(0.5, reserve: 20)))
///         // Outside of retry: the GET after a command is retried, the command is not.
///         .followingRedirects()
///         .limiting(bodySize: 1_000_000)
///         // Covers everything above.
///         .deadline(.seconds(30))
///         // One line per request; inside of retry, one per attempt.
///         .logging { print($0) }
/// }
/// ```
///
/// Decorators conform to this protocol with one method, ``send(_:body:through:)``. A message bypasses a decorator by
/// naming its type in ``HTTPRoute/bypassing(_:)``; ``HTTPClient/send(_:body:)`` checks that.
public protocol HTTPClientDecorator: HTTPClient {
    /// The client that is decorated.
    var base: any HTTPClient { get }

    /// The added concern in a few words, with its settings: `retry, at most 3 attempts`.
    var summary: String { get }

    /// Whether the decorator adds credentials to requests, which outer clients do not see; false by default.
    ///
    /// A cache outside of such a decorator declines to store, because it could serve one user's responses to another.
    var addsCredentials: Bool { get }

    /// Sends the request through `base` with the concern added.
    ///
    /// The response's body is ``HTTPBody/whole`` when the caller asked for that and the adapter collected it, and
    /// arrives while it is read otherwise.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The request's body, or nil for none.
    ///   - base: The client to send with.
    /// - Throws: The errors of the decorated client and of the concern.
    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody)
}

extension HTTPClientDecorator {
    /// False by default.
    public var addsCredentials: Bool { false }

    /// Sends the request with the concern added, or directly through ``base`` when the message bypasses the decorator.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        if HTTPRequestOptions.skip(Self.self) {
            return try await base.send(request, body: body)
        }
        return try await send(request, body: body, through: base)
    }
}

extension HTTPClient {
    /// The summaries of the decorators that a request passes, outermost first, and the type of the client that sends
    /// it.
    public var layers: [String] {
        guard let decorator = self as? any HTTPClientDecorator else { return ["\(Self.self)"] }
        return [decorator.summary] + decorator.base.layers
    }

    /// The summary of the outermost decorator that adds credentials; nil when none does.
    package var credentialsLayer: String? {
        guard let decorator = self as? any HTTPClientDecorator else { return nil }
        return decorator.addsCredentials ? decorator.summary : decorator.base.credentialsLayer
    }
}

public import Duet
public import Foundation

/// Dispatches over HTTP: each message is sent as the request that its type describes.
///
/// ```swift
/// let api = HTTPDispatcher(baseURL: server, client: client)
///
/// let health = try await api.dispatch(LoadHealth())
/// print(health.message)
/// ```
///
/// A message's declaration is read at the first dispatch of its type and kept, also for copies of the dispatcher.
public struct HTTPDispatcher: Dispatcher, TrackedSource {
    /// Connects the server with the caches of its values, for servers that say what a command has changed (RFC 9875).
    public var tracker: DataTracker { origin.tracker }

    private let origin: TrackedOrigin
    private let handlers: Result<RemoteHandlers, InvalidBaseURL>

    /// Creates a dispatcher that sends messages with a client to the server at a URL.
    ///
    /// Every dispatch throws ``InvalidBaseURL`` if the URL cannot be a server's base URL. To check it earlier, pass a
    /// ``BaseURL``.
    ///
    /// The clock measures the pauses before a live query connects again.
    public init(
        baseURL: URL,
        client: any HTTPClient,
        settings: HTTPSettings = HTTPSettings(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let server = Result { () throws(InvalidBaseURL) in
            HTTPServer(baseURL: try BaseURL(baseURL), client: client, settings: settings, clock: clock)
        }
        origin = (try? server.get().origin) ?? .of(nil)
        handlers = server.map { RemoteHandlers($0) }
    }

    /// Creates a dispatcher that sends messages with a client to a server.
    ///
    /// The clock measures the pauses before a live query connects again.
    public init(
        baseURL: BaseURL,
        client: any HTTPClient,
        settings: HTTPSettings = HTTPSettings(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(HTTPServer(baseURL: baseURL, client: client, settings: settings, clock: clock))
    }

    /// Creates a dispatcher that sends the messages of a list, and refuses all others.
    ///
    /// It also refuses a message whose path belongs to another message. With `users/me` beside `users/{id}`, that is
    /// the user whose id is `me`. A dispatcher without a list cannot know that, and sends the message.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - baseURL: The server.
    ///   - client: Sends the requests.
    ///   - settings: The settings of the server.
    ///   - clock: Measures the pauses before a live query connects again.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    public init(
        _ messages: MessageAPI,
        baseURL: BaseURL,
        client: any HTTPClient,
        settings: HTTPSettings = HTTPSettings(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(InvalidMessageAPI) {
        var server = HTTPServer(baseURL: baseURL, client: client, settings: settings, clock: clock)
        server.api = try HTTPAPI(messages, settings)
        self.init(server)
    }

    private init(_ server: HTTPServer) {
        origin = server.origin
        handlers = .success(RemoteHandlers(server))
    }

    /// Validates the message, sends it to the server and returns its value.
    ///
    /// - Throws: The first that applies of these errors:
    ///   - ``InvalidBaseURL``; ``/Duet/InvalidMessageAPI`` if the message's type cannot be an HTTP request;
    ///     ``/Duet/MessageAPIError`` if it is not listed.
    ///   - The error of `validate()`, and ``HTTPMessageError`` if the message cannot be sent.
    ///   - ``TokenUnavailable``, and ``HTTPClientError`` if there was no response.
    ///   - An ``HTTPProblem`` that the message or the API declares.
    ///   - ``HTTPFailure`` for any other response that is not a success.
    ///   - `CancellationError`.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await handlers.get().handler(of: M.self).handle(message)
    }
}

extension HTTPDispatcher {
    /// Whether the route of the query is ``HTTPRoute/live(events:)``.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { (query as? any HTTPQuery.Type)?.hasLiveRoute == true }

    /// Returns the value of a query and its changes, as the server sends them; nil for a query that is not live.
    ///
    /// A lost connection is a failure, and the client connects again: at first after the time that the server asks for,
    /// then with growing and random pauses of at most 30 seconds. The sequence ends if the server refuses, with the
    /// error, or does not send events.
    public func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        guard let query = query as? any HTTPQuery, type(of: query).hasLiveRoute else { return nil }
        switch handlers {
        case .success(let handlers): return handlers.updates(of: query) as? QueryStates<Q.Value>
        case .failure(let error): return QueryStates(failure: error)
        }
    }
}

extension HTTPQuery {
    fileprivate static var hasLiveRoute: Bool { route.liveQuery != nil }
}

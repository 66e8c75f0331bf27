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
public struct HTTPDispatcher: Dispatcher {
    private let handlers: Result<RemoteHandlers, InvalidBaseURL>

    /// Creates a dispatcher that sends messages with a client to the server at a URL.
    ///
    /// Every dispatch throws ``InvalidBaseURL`` if the URL cannot be a server's base URL. To check it earlier, pass a
    /// ``BaseURL``.
    public init(baseURL: URL, client: any HTTPClient, settings: HTTPSettings = HTTPSettings()) {
        handlers = Result { () throws(InvalidBaseURL) in
            RemoteHandlers(HTTPServer(baseURL: try BaseURL(baseURL), client: client, settings: settings))
        }
    }

    /// Creates a dispatcher that sends messages with a client to a server.
    public init(baseURL: BaseURL, client: any HTTPClient, settings: HTTPSettings = HTTPSettings()) {
        handlers = .success(RemoteHandlers(HTTPServer(baseURL: baseURL, client: client, settings: settings)))
    }

    /// Creates a dispatcher that sends the messages of an API with its settings, and refuses all others.
    ///
    /// It also refuses a message whose path belongs to another message. With `users/me` beside `users/{id}`, that is
    /// the user whose id is `me`. A dispatcher without an API cannot know that, and sends the message.
    public init(baseURL: BaseURL, client: any HTTPClient, api: HTTPAPI) {
        handlers = .success(
            RemoteHandlers(
                HTTPServer(baseURL: baseURL, client: client, settings: api.settings, endpoints: api.endpoints)
            )
        )
    }

    /// Validates the message, sends it to the server and returns its value.
    ///
    /// - Throws: The first that applies of these errors:
    ///   - ``InvalidBaseURL``, and ``InvalidHTTPAPI`` if the message's type cannot be an HTTP request.
    ///   - The error of `validate()`, and ``HTTPMessageError`` if the message cannot be sent.
    ///   - ``TokenUnavailable``, and ``HTTPClientError`` if there was no response.
    ///   - An ``HTTPProblem`` that the message or the API declares.
    ///   - ``HTTPFailure`` for any other response that is not a success.
    ///   - `CancellationError`.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await handlers.get().handler(of: M.self).handle(message)
    }
}

extension HTTPDispatcher: ValidatingDispatcher {
    package var withoutValidation: any Dispatcher {
        HTTPDispatcher(handlers: handlers.map { $0.withoutValidation })
    }

    private init(handlers: Result<RemoteHandlers, InvalidBaseURL>) {
        self.handlers = handlers
    }
}

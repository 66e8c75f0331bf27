public import Duet
public import Foundation

/// Dispatches over HTTP: each message goes out as the request that its type describes.
///
/// ```swift
/// let api = HTTPDispatcher(baseURL: url, client: client)
/// let comments = try await api.dispatch(Comments(id: id))
/// ```
///
/// What a message's type says of itself is looked up at its first dispatch and remembered, also by copies of the dispatcher.
public struct HTTPDispatcher: CommandQueryDispatcher {
    private let carriers: Result<CarrierTable, InvalidBaseURL>

    /// Makes a dispatcher that sends with a client to the server at a URL.
    ///
    /// A URL that cannot be a server's address is told of at each dispatch; a ``BaseURL`` tells of it when it is made.
    public init(baseURL: URL, client: any HTTPClient, settings: HTTPSettings = HTTPSettings()) {
        carriers = Result { () throws(InvalidBaseURL) in
            CarrierTable(HTTPServer(baseURL: try BaseURL(baseURL), client: client, settings: settings))
        }
    }

    /// Makes a dispatcher that sends with a client to a server.
    public init(baseURL: BaseURL, client: any HTTPClient, settings: HTTPSettings = HTTPSettings()) {
        carriers = .success(CarrierTable(HTTPServer(baseURL: baseURL, client: client, settings: settings)))
    }

    /// Makes a dispatcher that sends the messages of an API, by its settings, and refuses all others.
    ///
    /// It also refuses a message whose path is that of another one: with `users/me` beside `users/{id}`, the user whose id is
    /// `me`. A dispatcher that is made without an API does not know what else there is, and sends it.
    public init(baseURL: BaseURL, client: any HTTPClient, api: HTTPAPI) {
        carriers = .success(
            CarrierTable(
                HTTPServer(baseURL: baseURL, client: client, settings: api.settings, endpoints: api.endpoints)
            )
        )
    }

    /// Has the command done by the server.
    ///
    /// - Throws: An ``HTTPProblem`` that the command or the API declares; ``HTTPFailure`` for any other answer that is no success;
    ///   ``HTTPClientError`` when there was none; ``TokenUnavailable``; ``HTTPMessageError`` when it could not be sent;
    ///   ``InvalidHTTPAPI`` when its type cannot be an HTTP request; ``InvalidBaseURL``; `CancellationError`.
    public func dispatch<C: Command>(_ command: C) async throws {
        try await carriers.get().command(C.self).send(command)
    }

    /// Has the query answered by the server.
    ///
    /// - Throws: An ``HTTPProblem`` that the query or the API declares; ``HTTPFailure`` for any other answer that is no success;
    ///   ``HTTPClientError`` when there was none; ``TokenUnavailable``; ``HTTPMessageError`` when it could not be sent;
    ///   ``InvalidHTTPAPI`` when its type cannot be an HTTP request; ``InvalidBaseURL``; `CancellationError`.
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        try await carriers.get().query(Q.self).send(query)
    }
}

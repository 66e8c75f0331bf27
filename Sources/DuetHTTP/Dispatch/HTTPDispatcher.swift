public import Duet
public import Foundation

/// Dispatches over HTTP: each message goes out as the request that its type describes.
///
/// ```swift
/// let api = HTTPDispatcher(baseURL: url, client: client)
/// let comments = try await api.dispatch(Comments(id: id))
/// ```
public struct HTTPDispatcher: CommandQueryDispatcher {
    /// Makes a dispatcher that sends with a client to the server at a URL.
    ///
    /// A URL that cannot be a server's address is told of at the first dispatch; a ``BaseURL`` tells of it when it is made.
    public init(baseURL: URL, client: any HTTPClient, settings: HTTPSettings = HTTPSettings()) {
    }

    /// Makes a dispatcher that sends with a client to a server.
    public init(baseURL: BaseURL, client: any HTTPClient, settings: HTTPSettings = HTTPSettings()) {
    }

    /// Makes a dispatcher that sends the messages of an API, by its settings, and refuses all others.
    public init(baseURL: BaseURL, client: any HTTPClient, api: HTTPAPI) {
    }

    /// Has the command done by the server.
    ///
    /// - Throws: An ``HTTPProblem`` that the command or the API declares; ``HTTPFailure`` for any other answer that is no success;
    ///   ``HTTPClientError`` when there was none; ``HTTPMessageError`` when it could not be sent; `CancellationError`.
    public func dispatch<C: Command>(_ command: C) async throws {
        throw HTTPMessageError.notAnHTTPMessage(message: C.messageName)
    }

    /// Has the query answered by the server.
    ///
    /// - Throws: An ``HTTPProblem`` that the query or the API declares; ``HTTPFailure`` for any other answer that is no success;
    ///   ``HTTPClientError`` when there was none; ``HTTPMessageError`` when it could not be sent; `CancellationError`.
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        throw HTTPMessageError.notAnHTTPMessage(message: Q.messageName)
    }
}

public import Duet
public import DuetHTTP

/// Sends messages to the backend over HTTP, and throws the domain's errors.
///
/// An error that a handler there declares for the sender, such as `ImageNotFound`, is thrown here unchanged.
public struct RemoteDispatcher: Dispatcher {
    private let server: any Dispatcher

    /// Creates a dispatcher that sends to a server.
    ///
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    public init(baseURL: BaseURL, client: any HTTPClient) throws(InvalidHTTPAPI) {
        // The client's dispatcher has validated every message.
        server = HTTPDispatcher(baseURL: baseURL, client: client, api: try .feed()).withoutValidation
    }

    /// Sends the message to the server and returns its value.
    ///
    /// - Throws: The errors that its handler declares; `AccessDenied` for a command; `RemoteFailure`;
    ///   `CancellationError`.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        do {
            return try await server.dispatch(message)
        } catch {
            throw error.inDomainTerms(for: message)
        }
    }
}

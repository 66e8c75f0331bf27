public import Duet
public import DuetHTTP
import FeedFeature
import HTTPTypes

/// Takes messages to the backend over HTTP, and says in the domain's words why one could not be handled.
///
/// What a handler there throws for the sender to know, such as `ImageNotFound`, is thrown here as it is.
public struct RemoteDispatcher: Dispatcher {
    private let server: any Dispatcher

    /// Makes a dispatcher that sends with a client to a server.
    ///
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    public init(baseURL: BaseURL, client: any HTTPClient) throws(InvalidHTTPAPI) {
        // The client's dispatcher has validated every message.
        server = HTTPDispatcher(baseURL: baseURL, client: client, api: try .feed()).withoutValidation
    }

    /// Sends the message to the server and returns its value.
    ///
    /// - Throws: What its handler declares; `AccessDenied` for a command; ``RemoteFailure``; `CancellationError`.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        do {
            return try await server.dispatch(message)
        } catch let failure as HTTPFailure where M.self is any Query.Type {
            throw failure.ofTheDomain
        } catch let failure as HTTPFailure where failure.response.status == .unauthorized {
            throw AccessDenied.unknownSender
        } catch let failure as HTTPFailure where failure.response.status == .forbidden {
            throw AccessDenied.notPermitted
        } catch {
            throw error.ofTheDomain
        }
    }
}

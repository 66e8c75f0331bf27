public import Duet
public import DuetHTTP
import FeedFeature
import HTTPTypes

/// Takes messages to the backend over HTTP, and says in the domain's words why one could not be handled.
///
/// What a handler there throws for the sender to know, such as `ImageNotFound`, is thrown here as it is.
public struct RemoteDispatcher: CommandQueryDispatcher {
    private let server: HTTPDispatcher

    /// Makes a dispatcher that sends with a client to a server.
    ///
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    public init(baseURL: BaseURL, client: any HTTPClient) throws(InvalidHTTPAPI) {
        server = HTTPDispatcher(baseURL: baseURL, client: UnlabelledAnswers(base: client), api: try .feed())
    }

    /// Has the command done by the server.
    ///
    /// - Throws: What its handler declares; `AccessDenied`; ``RemoteFailure``; `CancellationError`.
    public func dispatch<C: Command>(_ command: C) async throws {
        do {
            try await server.dispatch(command)
        } catch let failure as HTTPFailure where failure.response.status == .unauthorized {
            throw AccessDenied.unknownSender
        } catch let failure as HTTPFailure where failure.response.status == .forbidden {
            throw AccessDenied.notPermitted
        } catch {
            throw error.ofTheDomain
        }
    }

    /// Has the query answered by the server.
    ///
    /// - Throws: What its handler declares; ``RemoteFailure``; `CancellationError`.
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        do {
            return try await server.dispatch(query)
        } catch {
            throw error.ofTheDomain
        }
    }
}

public import Duet
public import DuetHTTP
import FeedFeature
import HTTPTypes

/// Sends messages to the backend over HTTP, and throws the domain's errors.
///
/// An error that a handler there declares for the sender, such as `ImageNotFound`, is thrown here unchanged.
public struct RemoteDispatcher: Dispatcher {
    private let baseURL: BaseURL
    private let client: any HTTPClient
    private let api: HTTPAPI
    private let server: any Dispatcher

    /// Creates a dispatcher that sends to a server.
    ///
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    public init(baseURL: BaseURL, client: any HTTPClient) throws(InvalidHTTPAPI) {
        self.init(baseURL: baseURL, client: client, api: try .feed())
    }

    private init(baseURL: BaseURL, client: any HTTPClient, api: HTTPAPI) {
        self.baseURL = baseURL
        self.client = client
        self.api = api
        // The client's dispatcher has validated every message.
        server = HTTPDispatcher(baseURL: baseURL, client: client, api: api).withoutValidation
    }

    /// Returns a dispatcher for the same server that sends a token with each message.
    public func authenticated(by token: String) -> RemoteDispatcher {
        RemoteDispatcher(baseURL: baseURL, client: client.authenticated(by: .bearer(token)), api: api)
    }

    /// Sends the message to the server and returns its value.
    ///
    /// - Throws: The errors that its handler declares; `AccessDenied` for a command or `LoadPermissions`;
    ///   `RemoteFailure`; `CancellationError`.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        do {
            return try await server.dispatch(message)
        } catch {
            throw error.inDomainTerms(for: message)
        }
    }
}

extension RemoteDispatcher: LiveDispatcher {
    /// Whether the server reports the changes of the query's values.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { (server as? any LiveDispatcher)?.isLive(query) == true }

    /// Returns the value of a query and its changes, as the server reports them, with the domain's errors.
    public func updates<Q: Query>(of query: Q) -> QueryUpdates<Q.Value>? where Q.Value: Sendable {
        (server as? any LiveDispatcher)?.updates(of: query)?.mapUpdates { update in
            if case .failure(let error) = update { .failure(error.inDomainTerms(for: query)) } else { update }
        }
    }
}

extension Error {
    /// Returns the domain's error for this error of an HTTP exchange.
    ///
    /// A problem that the server reports in the domain's terms stays unchanged, as does a cancellation or a fault of
    /// this program.
    ///
    /// - Parameter message: The message that was sent, or nil for bytes that were loaded from a URL.
    func inDomainTerms(for message: Any? = nil) -> any Error {
        switch self {
        case is CancellationError, is any HTTPProblem, is HTTPMessageError, is InvalidHTTPAPI:
            self
        case let failure as HTTPFailure:
            switch failure.response.status {
            case .unauthorized where message is any Command || message is LoadPermissions: AccessDenied.unknownSender
            case .forbidden where message is any Command: AccessDenied.notPermitted
            default: RemoteFailure.invalidData("\(failure)")
            }
        default:
            RemoteFailure.connectivity("\(self)")
        }
    }
}

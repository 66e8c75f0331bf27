public import Duet
public import DuetHTTP
import FeedFeature
import HTTPTypes

/// Sends messages to the backend, over HTTP or another carrier, and throws the domain's errors.
///
/// An error that a handler there declares for the sender, such as `ImageNotFound`, is thrown here unchanged.
public struct RemoteDispatcher: Dispatcher {
    /// Returns a dispatcher that sends with a token.
    public typealias Authentication = @Sendable (_ token: String) -> any Dispatcher

    private let server: any Dispatcher
    private let authentication: Authentication

    /// Creates a dispatcher that sends to a server over HTTP.
    ///
    /// - Throws: `InvalidMessageAPI`, which the tests rule out.
    public init(baseURL: BaseURL, client: any HTTPClient) throws(InvalidMessageAPI) {
        let client = client.authenticated(by: TaskToken())
        let server = try HTTPDispatcher(.feed, baseURL: baseURL, client: client, settings: .feed)
        self.init(server) { AuthenticatedDispatcher(base: server, token: $0) }
    }

    /// Creates a dispatcher that sends with another one.
    public init(_ server: any Dispatcher, authentication: @escaping Authentication) {
        self.server = server
        self.authentication = authentication
    }

    /// Returns a dispatcher for the same server that sends a token with each message.
    public func authenticated(by token: String) -> RemoteDispatcher {
        RemoteDispatcher(authentication(token), authentication: authentication)
    }

    /// Sends the message to the server and returns its value.
    ///
    /// - Throws: The errors that its handler declares; `AuthorizationError` for a command or `LoadPermissions`;
    ///   `RemoteFailure`; `CancellationError`.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        do {
            return try await server.dispatch(message)
        } catch {
            throw error.inDomainTerms(for: message)
        }
    }
}

extension RemoteDispatcher {
    /// Whether the server reports the changes of the query's values.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { server.isLive(query) }

    /// Returns the value of a query and its changes, as the server reports them, with the domain's errors.
    public func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        server.updates(of: query)?.mapErrors { $0.inDomainTerms(for: query) }
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
        case is CancellationError, is any HTTPProblem, is HTTPMessageError, is InvalidMessageAPI, is RemoteFailure:
            self
        case let failure as HTTPFailure:
            switch failure.response.status {
            case .unauthorized where message is any Command || message is LoadPermissions:
                AuthorizationError.unauthenticated
            case .forbidden where message is any Command: AuthorizationError.forbidden
            case .uriTooLong, .requestHeaderFieldsTooLarge:
                RemoteFailure.invalidData("it, or a server on the way, refuses long texts; shorten them: \(failure)")
            // The server is there, but has no place for this request at the moment.
            case .tooManyRequests, .serviceUnavailable:
                RemoteFailure(.connectivity, reason: "\(failure)", retryAfter: failure.retryAfter)
            default:
                RemoteFailure(
                    .invalidData,
                    reason: "\(failure)",
                    isTemporary: failure.isTemporary,
                    retryAfter: failure.retryAfter
                )
            }
        default:
            RemoteFailure.connectivity("\(self)")
        }
    }
}

/// Dispatches with a token for all requests of a message.
private struct AuthenticatedDispatcher: Dispatcher {
    let base: any Dispatcher
    let token: String

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await TaskToken.$text.withValue(token) { try await base.dispatch(message) }
    }
}

/// The token of the current task, so that one client sends for all readers.
private struct TaskToken: TokenSource {
    @TaskLocal static var text: String?

    func current() async throws -> String? { Self.text }

    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

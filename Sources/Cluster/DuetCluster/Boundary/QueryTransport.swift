import Duet

/// Carries requests to any node that serves their route, and the responses back.
public protocol QueryTransport: Sendable {
    /// Sends a request to one node that serves the route, and returns its response.
    ///
    /// If the task is canceled, the task of the handler on the other node is canceled, too.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` if the task is canceled.
    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope

    /// Answers requests, each in a separate task.
    ///
    /// Nodes that serve the same route share its requests.
    ///
    /// - Parameters:
    ///   - route: Any text, for example the name of a message.
    ///   - limit: The number of requests that are handled at the same time; more of them wait.
    ///   - handler: Returns the response.
    /// - Throws: ``TransportError``.
    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration
}

/// A failure of the cluster itself, and not of a handler.
@nonexhaustive
public enum TransportError: Error, Hashable, Sendable {
    /// No node serves the route.
    case noNode(route: String)

    /// No response arrived in time.
    case timedOut(route: String, after: Duration)

    /// The connection was lost, so that it is unknown whether the request has arrived.
    case connectionLost(reason: String)

    /// An envelope has more bytes than the cluster carries.
    case tooLarge(bytes: Int, limit: Int)

    /// The engine refused something, for example because of its configuration.
    case refused(reason: String)
}

extension TransportError: CustomStringConvertible {
    /// The failure, and what to do.
    ///
    /// Text of servers and other nodes is on one line, without characters that a terminal interprets.
    public var description: String {
        switch self {
        case .noNode(let route): "No node of the cluster serves \(route.safe()). Start one that does."
        case .timedOut(let route, let duration): "No node answered \(route.safe()) within \(duration)."
        case .connectionLost(let reason): "The connection to the cluster was lost: \(reason.safe())."
        case .tooLarge(let bytes, let limit):
            "\(bytes) bytes are more than the cluster carries, which is \(limit). Send a reference to large content."
        case .refused(let reason): "The cluster refused: \(reason.safe())."
        }
    }
}

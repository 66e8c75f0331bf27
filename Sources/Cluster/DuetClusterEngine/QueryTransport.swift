/// Carries requests to any node that serves their route, and the responses back.
public protocol QueryTransport: Sendable {
    /// Sends a request to one node that serves the route, and returns its response.
    ///
    /// If the task is canceled, the task of the handler on the other node is canceled, too.
    ///
    /// - Throws: `TransportError`, or `CancellationError`.
    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope

    /// Answers requests, each in a separate task.
    ///
    /// Nodes that serve the same route share its requests.
    ///
    /// - Parameters:
    ///   - route: Any text, for example the name of a message.
    ///   - limit: The number of requests that are handled concurrently; more of them wait.
    ///   - handler: Returns the response.
    /// - Throws: `TransportError`.
    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration
}

/// Answers a request, as in ``QueryTransport/serve(_:limit:_:)``.
package typealias EnvelopeHandler = @Sendable @concurrent (Envelope) async -> Envelope

/// Work that a node takes from the cluster, until it is stopped.
public protocol Registration: Sendable {
    /// Takes no further work, and returns when the work that was taken has ended.
    func stop() async
}

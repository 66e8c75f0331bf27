/// Runs `body` with a client of its own, which is shut down however `body` ends, also when the task is cancelled.
///
/// ```swift
/// try await withNIOHTTPClient { client in
///     try await HTTPDispatcher(baseURL: url, client: client.retrying()).dispatch(LikeVideo(id: "intro"))
/// }
/// ```
///
/// - Throws: What `body` throws; what kept a connection from being closed.
public func withNIOHTTPClient<Value>(
    configuration: NIOHTTPClient.Configuration = NIOHTTPClient.Configuration(),
    clock: any Clock<Duration> = ContinuousClock(),
    body: (NIOHTTPClient) async throws -> Value
) async throws -> Value {
    let client = NIOHTTPClient(configuration: configuration, clock: clock)
    let value: Value
    do {
        value = try await body(client)
    } catch {
        // Why the body ended says more than a connection that could not be closed.
        try? await client.shutdown()
        throw error
    }
    try await client.shutdown()
    return value
}

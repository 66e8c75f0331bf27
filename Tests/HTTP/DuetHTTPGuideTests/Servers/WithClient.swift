import DuetAsyncHTTPClient
import DuetTesting

/// Runs `operation` with a client that is shut down afterwards.
func withClient<Value>(
    _ configuration: NIOHTTPClient.Configuration = NIOHTTPClient.Configuration(),
    _ operation: (NIOHTTPClient) async throws -> Value
) async throws -> Value {
    let client = NIOHTTPClient(configuration: configuration, clock: ManualClock())
    let result: Result<Value, any Error>
    do {
        result = .success(try await operation(client))
    } catch {
        result = .failure(error)
    }
    try await client.shutdown()
    return try result.get()
}

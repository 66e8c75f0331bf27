/// Calls `body` until it returns a value, for at most `limit`, or until the time limit of the test is over.
///
/// The pause between two calls does not affect the result, because the loop waits for a condition.
///
/// - Throws: The error of `body`; the error of `failure` when the time is over.
func poll<Value>(
    within limit: Duration? = nil,
    _ body: () async throws -> Value?,
    orThrow failure: @escaping @Sendable () async -> any Error
) async throws -> Value {
    let clock = ContinuousClock()
    let end = limit.map { clock.now + $0 }
    while true {
        if let value = try await body() { return value }
        do {
            if let end, clock.now >= end { throw CancellationError() }
            try await clock.sleep(for: .milliseconds(25))
        } catch {
            // The page can be described only by a task that is not canceled.
            throw await Task { await failure() }.value
        }
    }
}

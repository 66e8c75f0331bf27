/// Calls `body` until it returns a value, for at most `limit`.
///
/// The pause between two calls does not affect the result, because the loop waits for a condition.
///
/// - Throws: The error of `body`; the error of `failure` when the time is over.
func poll<Value>(
    within limit: Duration,
    _ body: () async throws -> Value?,
    orThrow failure: () async -> any Error
) async throws -> Value {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while true {
        if let value = try await body() { return value }
        guard clock.now < end else { throw await failure() }
        try await clock.sleep(for: .milliseconds(25))
    }
}

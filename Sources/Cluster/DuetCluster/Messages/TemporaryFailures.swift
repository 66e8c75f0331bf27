/// Repeats an operation while the cluster cannot carry it out for a time.
///
/// - Parameter delay: Returns the time before the next attempt, given the number of attempts so far; nil for no other
///   attempt.
/// - Throws: The first error that another attempt would not end, the error of the last attempt, or
///   `CancellationError`.
@discardableResult
package func repeatingTemporaryFailures<Value>(
    _ clock: any Clock<Duration>,
    delay: (_ attempts: Int) -> Duration?,
    _ operation: () async throws -> Value
) async throws -> Value {
    var attempts = 1
    while true {
        do {
            return try await operation()
        } catch let error as TransportError where error.isTemporary {
            guard let delay = delay(attempts) else { throw error }
            try await clock.sleep(for: delay)
            attempts += 1
        }
    }
}

/// Dispatches a failed message again.
///
/// Queries change nothing, so they can be repeated. A command may have done its work before it failed, so commands are
/// repeated only if `repeatsCommands` is true.
public struct RetryMiddleware: ValuePreservingMiddleware {
    private let policy: RetryPolicy
    private let repeatsCommands: Bool
    private let clock: any Clock<Duration>
    private let random: RandomUnit

    /// Creates the middleware of ``/Duet/Dispatcher/retrying(_:repeatsCommands:clock:generator:)``.
    public init(
        _ policy: RetryPolicy = RetryPolicy(),
        repeatsCommands: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.policy = policy
        self.repeatsCommands = repeatsCommands
        self.clock = clock
        random = RandomUnit(generator)
    }

    /// Dispatches the message, and again as long as the policy and `repeatsCommands` allow it.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if next.isUpdate || !repeatsCommands && M.self is any Command.Type { return try await next.dispatch(message) }
        var attempt = 1
        while true {
            do {
                return try await next.dispatch(message)
            } catch {
                try await wait(afterAttempt: attempt, error: error)
                attempt += 1
            }
        }
    }

    /// Waits for the delay before the next attempt.
    ///
    /// - Throws: `error` when there is no further attempt, `CancellationError` when the wait is canceled.
    private func wait(afterAttempt attempt: Int, error: any Error) async throws {
        guard !Task.isCancelled,
            let delay = policy.delay(afterAttempt: attempt, error: error, random: random.next())
        else { throw error }
        try await clock.sleep(for: delay)
    }
}

extension Dispatcher {
    /// Returns this dispatcher with further attempts for queries that failed, and for commands if `repeatsCommands` is
    /// true.
    ///
    /// A delay goes on after the deadline of `withDeadline`, unlike that of a retrying HTTP client.
    ///
    /// - Parameters:
    ///   - policy: Decides which errors are retried, how often and after how long.
    ///   - repeatsCommands: Whether commands are retried too. This is safe where repeating a command changes nothing
    ///     more.
    ///   - clock: Measures the delays.
    ///   - generator: The source of the jitter.
    public func retrying(
        _ policy: RetryPolicy = RetryPolicy(),
        repeatsCommands: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) -> some Dispatcher {
        with(RetryMiddleware(policy, repeatsCommands: repeatsCommands, clock: clock, generator: generator))
    }
}

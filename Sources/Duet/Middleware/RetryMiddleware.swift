/// Tries a message again when it failed.
///
/// Queries change nothing and can be repeated. A command may have done its work before it failed, so commands are
/// repeated only where the composition root says that this does no harm.
public struct RetryMiddleware: Middleware {
    private let policy: RetryPolicy
    private let repeatsCommands: Bool
    private let clock: any Clock<Duration>
    private let random: RandomUnit

    /// Makes a retry of a policy.
    ///
    /// - Parameters:
    ///   - policy: Which errors are tried again, how often and after how long.
    ///   - repeatsCommands: Whether commands are retried too; right where repeating one changes nothing more.
    ///   - clock: What the delays are measured by.
    ///   - generator: Where the jitter comes from.
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

    /// Dispatches the command, again where the policy and `repeatsCommands` allow it.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        guard repeatsCommands else { return try await next.dispatch(command) }
        var attempt = 1
        while true {
            do {
                return try await next.dispatch(command)
            } catch {
                try await wait(afterAttempt: attempt, error: error)
                attempt += 1
            }
        }
    }

    /// Dispatches the query, again where the policy allows it.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        var attempt = 1
        while true {
            do {
                return try await next.dispatch(query)
            } catch {
                try await wait(afterAttempt: attempt, error: error)
                attempt += 1
            }
        }
    }

    /// Waits until it is time to try again.
    ///
    /// - Throws: `error` when there is to be no further attempt, `CancellationError` when the wait is cancelled.
    private func wait(afterAttempt attempt: Int, error: any Error) async throws {
        guard !Task.isCancelled,
            let delay = policy.delay(afterAttempt: attempt, error: error, random: random.next())
        else { throw error }
        try await clock.sleep(for: delay)
    }
}

extension Middleware where Self == RetryMiddleware {
    /// Tries a failed message again as a policy says; commands only where `repeatsCommands` allows it.
    public static func retry(
        _ policy: RetryPolicy = RetryPolicy(),
        repeatsCommands: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) -> Self {
        RetryMiddleware(policy, repeatsCommands: repeatsCommands, clock: clock, generator: generator)
    }
}

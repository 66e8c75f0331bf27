import Synchronization

/// Decides whether a failed message is tried again, and after what delay.
///
/// The policy uses backoff with full jitter: the delay before a retry is drawn uniformly from zero up to the backoff.
/// That spreads the retries of many callers best ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
public struct RetryPolicy: Sendable {
    /// How the maximum delay grows from retry to retry.
    @nonexhaustive
    public enum Backoff: Sendable {
        /// The same maximum for each retry.
        case constant(Duration)

        /// A maximum that is multiplied by `factor` from retry to retry, up to `maximum`. A factor below 1 counts as 1.
        case exponential(initial: Duration, factor: Double = 2, maximum: Duration)
    }

    /// The total number of attempts, including the first; at least 1.
    package let maximumAttempts: Int

    private let backoff: Backoff
    private let jitter: Bool
    private let maximumRetryAfter: Duration
    private let isRetryable: @Sendable (any Error) -> Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The total number of attempts; less than 1 counts as 1.
    ///   - backoff: The maximum delay before a retry.
    ///   - jitter: Whether the delay is drawn from zero up to the backoff; otherwise it is the backoff.
    ///   - maximumRetryAfter: The longest ``TemporaryError/retryAfter`` that is waited for, in addition to the delay.
    ///     An error that asks for more is not retried.
    ///   - isRetryable: Whether an error is worth another attempt. Cancellation, a missing handler and ``NotCached``
    ///     never are.
    public init(
        maximumAttempts: Int = 3,
        backoff: Backoff = .exponential(initial: .milliseconds(100), maximum: .seconds(10)),
        jitter: Bool = true,
        maximumRetryAfter: Duration = .seconds(30),
        isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.backoff = backoff
        self.jitter = jitter
        self.maximumRetryAfter = maximumRetryAfter
        self.isRetryable = isRetryable
    }

    /// Returns the delay before the next attempt, or nil without one.
    ///
    /// - Parameters:
    ///   - attempt: The number of the failed attempt; the first is 1.
    ///   - error: The error of that attempt.
    ///   - random: A number in 0..<1 that places the delay within the backoff.
    package func delay(afterAttempt attempt: Int, error: any Error, random: Double) -> Duration? {
        guard attempt < maximumAttempts, !(error is CancellationError || error is NotCached), isRetryable(error) else {
            return nil
        }
        if case .handlerNotFound? = error as? DispatchError { return nil }
        let retryAfter = (error as? any TemporaryError)?.retryAfter
        return delay(afterAttempt: attempt, retryAfter: retryAfter, random: random)
    }

    /// Returns the delay before the next attempt; nil after the last one, and for a requested delay that is too long.
    ///
    /// The jitter is added to the requested delay, because otherwise all clients would return at once.
    package func delay(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration? {
        let retryAfter = max(.zero, retryAfter ?? .zero)
        guard attempt < maximumAttempts, retryAfter <= maximumRetryAfter else { return nil }
        return retryAfter + delay(afterAttempt: attempt, random: random)
    }

    package func delay(afterAttempt attempt: Int, random: Double) -> Duration {
        let longest = longestDelay(afterAttempt: attempt)
        return jitter ? longest * min(1, max(0, random)) : longest
    }

    private func longestDelay(afterAttempt attempt: Int) -> Duration {
        switch backoff {
        case .constant(let duration):
            return duration
        case .exponential(let initial, let factor, let maximum):
            let factor = max(1, factor)
            var delay = max(.zero, initial)
            for _ in 1..<max(1, attempt) {
                // Checked before multiplying: a long series would overflow, and trap.
                guard delay < maximum / factor else { return maximum }
                let next = delay * factor
                // A series that no longer grows has reached its limit, however many attempts remain.
                if next <= delay { break }
                delay = next
            }
            return min(delay, maximum)
        }
    }
}

/// Random numbers in 0..<1, drawn from one generator that any number of tasks share.
package final class RandomUnit: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    package init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    package func next() -> Double {
        // A `Double` represents 53 bits exactly.
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}

/// Says whether and after how long a failed message is tried again.
///
/// Backoff with full jitter: the delay before a retry is drawn evenly between nothing and the backoff, which spreads
/// the retries of many callers best ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
public struct RetryPolicy: Sendable {
    /// How the longest delay grows from retry to retry.
    @nonexhaustive
    public enum Backoff: Sendable {
        /// The same for each retry.
        case constant(Duration)

        /// Multiplied by `factor` from retry to retry, up to `maximum`; a factor below 1 counts as 1.
        case exponential(initial: Duration, factor: Double = 2, maximum: Duration)
    }

    /// How often the message is tried in all, the first time included; at least 1.
    public let maximumAttempts: Int

    private let backoff: Backoff
    private let jitter: Bool
    private let isRetryable: @Sendable (any Error) -> Bool

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often the message is tried in all; less than 1 counts as 1.
    ///   - backoff: The longest delay before a retry.
    ///   - jitter: Whether the delay is drawn between nothing and the backoff, or is the backoff.
    ///   - isRetryable: Which errors are worth another try. A cancellation and a missing handler never are.
    public init(
        maximumAttempts: Int = 3,
        backoff: Backoff = .exponential(initial: .milliseconds(100), maximum: .seconds(10)),
        jitter: Bool = true,
        isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.backoff = backoff
        self.jitter = jitter
        self.isRetryable = isRetryable
    }

    /// How long to wait before the retry that follows the failed attempt of this number, or nil to give up.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed; the first is 1.
    ///   - error: Why it failed.
    ///   - random: A number in 0..<1 that places the delay within the backoff.
    public func delay(afterAttempt attempt: Int, error: any Error, random: Double) -> Duration? {
        guard attempt < maximumAttempts, !(error is CancellationError), isRetryable(error) else { return nil }
        if case .handlerNotFound? = error as? DispatchError { return nil }
        return delay(afterAttempt: attempt, random: random)
    }

    /// How long to wait after an attempt that is worth another one.
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
                // Asked before multiplying: the product of a long series overflows, which would trap.
                guard delay < maximum / factor else { return maximum }
                let next = delay * factor
                // A series that does not grow has reached its end, however many attempts are still to come.
                if next <= delay { break }
                delay = next
            }
            return min(delay, maximum)
        }
    }
}

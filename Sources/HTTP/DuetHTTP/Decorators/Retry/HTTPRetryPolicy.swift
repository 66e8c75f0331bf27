public import Duet
import HTTPTypes
import Synchronization

/// Which requests are repeated after which failures, how often, after which delay, and how many in all.
///
/// Requests that do no harm when they are done twice are repeated: requests with an idempotent method (RFC 9110,
/// section 9.2.2), those with an `Idempotency-Key`, and queries, also those that are sent as POST. Any other request is
/// repeated only if the server did not process it (``HTTPClientError/isUnsent``).
///
/// ```swift
/// let stubborn = HTTPRetryPolicy(
///     maximumAttempts: 5,
///     backoff: .exponential(initial: .milliseconds(200), maximum: .seconds(5)),
///     statuses: HTTPRetryPolicy.retriedStatuses.union([500]),
///     errors: [.connectionFailed],
///     maximumRetryAfter: .seconds(60),
///     budget: .unlimited
/// )
/// ```
public struct HTTPRetryPolicy: Sendable {
    /// How many retries all requests of a client may have together, so that retries do not overload a struggling
    /// server.
    @nonexhaustive
    public enum Budget: Hashable, Sendable {
        /// This share of the requests, and at most `reserve` more for clients that send few.
        case share(Double, reserve: Int)

        /// A retry for each failure.
        case unlimited
    }

    /// An ``HTTPClientError`` after which a request can be repeated.
    @nonexhaustive
    public enum RetriedError: Hashable, Sendable {
        /// No connection, or one that broke: ``HTTPClientError/connectionFailed(url:reason:underlying:)``.
        case connectionFailed

        /// An attempt that took too long: ``HTTPClientError/deadlineExceeded(url:after:)``.
        case deadlineExceeded
    }

    /// The statuses after which a client may try again.
    ///
    /// 408 (RFC 9110, section 15.5.9), 425 (RFC 8470, section 5.2), 429 (RFC 6585, section 4), 502, 503 and 504 (RFC
    /// 9110, sections 15.6.3 to 15.6.5); 520 to 524 and 530, with which Cloudflare says that it cannot reach a server,
    /// and 529, with which some are overloaded. Not 500: a fault in the server's program is there the next time too.
    public static let retriedStatuses: Set<Int> = [408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530]

    let budget: Budget
    /// How often a request is sent at most, and after which delays.
    let delays: RetryPolicy
    private let statuses: Set<Int>
    private let errors: Set<RetriedError>

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often a request is sent at most; less than 1 counts as 1.
    ///   - backoff: The longest delay before a retry; the delay is random between zero and this.
    ///   - statuses: The statuses after which a request is repeated.
    ///   - errors: The errors after which a request is repeated.
    ///   - maximumRetryAfter: How long the client waits at most when a server asks it to with `Retry-After`; when the
    ///     server asks for more, its response is returned.
    ///   - budget: How many retries all requests of a client may have together.
    public init(
        maximumAttempts: Int = 3,
        backoff: RetryPolicy.Backoff = .exponential(initial: .milliseconds(100), maximum: .seconds(10)),
        statuses: Set<Int> = HTTPRetryPolicy.retriedStatuses,
        errors: Set<RetriedError> = [.connectionFailed, .deadlineExceeded],
        maximumRetryAfter: Duration = .seconds(30),
        budget: Budget = .share(0.2, reserve: 10)
    ) {
        delays = RetryPolicy(maximumAttempts: maximumAttempts, backoff: backoff, maximumRetryAfter: maximumRetryAfter)
        self.statuses = statuses
        self.errors = errors
        self.budget = budget
    }

    /// Whether the request does no harm when it is done twice.
    func mayRepeat(_ request: HTTPRequest) -> Bool {
        switch request.method {
        case .get, .head, .options, .trace, .put, .delete: true
        default: request.headerFields.contains(.idempotencyKey)
        }
    }

    func isRetried(_ failure: HTTPAttempt.Failure) -> Bool {
        switch failure {
        case .status(let status): return statuses.contains(status.code)
        case .error(let error):
            switch error.reason {
            case .connectionFailed: return errors.contains(.connectionFailed)
            case .deadlineExceeded: return errors.contains(.deadlineExceeded)
            default: return false
            }
        }
    }
}

/// The retries left to all requests of a client, as a token bucket, like Finagle's `RetryBudget`.
///
/// Each request adds a share of a token, and each retry takes one. The bucket starts full and holds at most the
/// reserve, or one.
package final class RetryBudget: Sendable {
    /// A token in millionths: whole numbers add up exactly.
    private static let token = 1_000_000

    private let deposit: Int
    private let capacity: Int
    private let tokens: Mutex<Int>

    /// Creates the bucket; nil for an unlimited budget.
    package init?(_ budget: HTTPRetryPolicy.Budget) {
        guard case .share(let share, let reserve) = budget else { return nil }
        // More than any number of attempts needs; NaN counts as 0.
        deposit = Int(min(1000, max(0, share.isNaN ? 0 : share)) * Double(Self.token))
        capacity = min(1_000_000, max(0, reserve)) * Self.token
        tokens = Mutex(capacity)
    }

    /// Records that a request is sent for the first time.
    package func noteRequest() {
        tokens.withLock { $0 = min(max(capacity, Self.token), $0 + deposit) }
    }

    package func takeRetry() -> Bool {
        tokens.withLock { tokens in
            guard tokens >= Self.token else { return false }
            tokens -= Self.token
            return true
        }
    }
}

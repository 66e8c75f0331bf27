public import Duet
import HTTPTypes

/// Which requests are sent again after which failures, how often, after how long, and how many of all.
///
/// Only what does no harm when it is done twice is sent again: requests with an idempotent method (RFC 9110, section 9.2.2),
/// those that carry an `Idempotency-Key`, and queries, also those that are sent as POST.
public struct HTTPRetryPolicy: Sendable {
    /// How many retries all requests of a client may have between them, so that a server in trouble is not buried.
    @nonexhaustive
    public enum Budget: Hashable, Sendable {
        /// This share of the requests, and a few besides for clients that send few; never more than `reserve` at once.
        case share(Double, reserve: Int)

        /// As many as there are failures.
        case unlimited
    }

    /// The statuses after which the RFCs let a client try again.
    ///
    /// 408 (RFC 9110, section 15.5.9), 425 (RFC 8470, section 5.2), 429 (RFC 6585, section 4), 502, 503 and 504 (RFC 9110,
    /// sections 15.6.3 to 15.6.5). Not 500, which says that the server's program is at fault: it will be the next time too.
    public static let retriedStatuses: Set<Int> = [408, 425, 429, 502, 503, 504]

    /// How often a request is sent in all, the first time included.
    public let maximumAttempts: Int

    let maximumRetryAfter: Duration
    let budget: Budget
    private let delays: RetryPolicy
    private let statuses: Set<Int>

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often a request is sent in all; less than 1 counts as 1.
    ///   - backoff: The longest delay before a retry; the delay is drawn evenly between nothing and it.
    ///   - statuses: The statuses after which a request is sent again.
    ///   - maximumRetryAfter: How long a server may have the client wait with `Retry-After`; when it asks for more, its answer
    ///     is the answer.
    ///   - budget: How many retries all requests of a client may have between them.
    public init(
        maximumAttempts: Int = 3,
        backoff: RetryPolicy.Backoff = .exponential(initial: .milliseconds(100), maximum: .seconds(10)),
        statuses: Set<Int> = HTTPRetryPolicy.retriedStatuses,
        maximumRetryAfter: Duration = .seconds(30),
        budget: Budget = .share(0.2, reserve: 10)
    ) {
        delays = RetryPolicy(maximumAttempts: maximumAttempts, backoff: backoff)
        self.maximumAttempts = delays.maximumAttempts
        self.statuses = statuses
        self.maximumRetryAfter = maximumRetryAfter
        self.budget = budget
    }

    /// Whether the request does no harm when it is done twice.
    func mayRepeat(_ request: HTTPRequest) -> Bool {
        switch request.method {
        case .get, .head, .options, .trace, .put, .delete: true
        default: request.headerFields.contains(.idempotencyKey)
        }
    }

    /// Whether the failure may be gone the next time.
    func isPassing(_ failure: HTTPAttempt.Failure) -> Bool {
        switch failure {
        case .status(let status): return statuses.contains(status.code)
        case .error(let error):
            switch error.reason {
            case .connectionFailed, .deadlineExceeded: return true
            default: return false
            }
        }
    }

    /// How long to wait after the attempt of this number, or nil when it was the last.
    ///
    /// What the server asks for comes before the jitter: otherwise all of its clients would come back at once.
    func delay(afterAttempt attempt: Int, retryAfter: Duration?, random: Double) -> Duration? {
        let retryAfter = max(.zero, retryAfter ?? .zero)
        guard attempt < maximumAttempts, retryAfter <= maximumRetryAfter else { return nil }
        return retryAfter + delays.delay(afterAttempt: attempt, random: random)
    }
}

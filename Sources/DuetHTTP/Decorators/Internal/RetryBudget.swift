import Synchronization

/// How many retries are left to all requests of a client: a bucket of tokens.
///
/// Each request puts a share of a token in, each retry takes one out, and the bucket, full at the start, holds no more than
/// the reserve, or one. So in any stretch of time there are at most as many retries as the reserve and the share of that
/// time's requests. The idea is that of Finagle's `RetryBudget` and of the throttling in gRPC's proposal A6.
package final class RetryBudget: Sendable {
    /// Millionths of tokens: whole numbers add up exactly.
    private static let token = 1_000_000

    private let deposit: Int
    private let capacity: Int
    private let tokens: Mutex<Int>

    /// Nil for a budget that nothing exhausts.
    package init?(_ budget: HTTPRetryPolicy.Budget) {
        guard case .share(let share, let reserve) = budget else { return nil }
        // A share of several tokens for each request is more than any number of attempts needs; NaN is none.
        deposit = Int(min(1000, max(0, share.isNaN ? 0 : share)) * Double(Self.token))
        capacity = min(1_000_000, max(0, reserve)) * Self.token
        tokens = Mutex(capacity)
    }

    /// Notes that a request is sent for the first time.
    package func noteRequest() {
        tokens.withLock { $0 = min(max(capacity, Self.token), $0 + deposit) }
    }

    /// Takes the token of one retry, if there is one.
    package func takeRetry() -> Bool {
        tokens.withLock { tokens in
            guard tokens >= Self.token else { return false }
            tokens -= Self.token
            return true
        }
    }
}

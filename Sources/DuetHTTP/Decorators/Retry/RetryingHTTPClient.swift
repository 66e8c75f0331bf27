import Duet
import DuetContext
public import Foundation
public import HTTPTypes
import ServiceContextModule

/// Sends a request again when it failed in a way that may pass.
///
/// ``HTTPRetryPolicy`` says which. Nothing is sent again when the task was cancelled, when the deadline in the
/// `ServiceContext` would pass first, or when the client's budget for retries is used up; what the last attempt ended with
/// is then what the request ends with. An answer stays an answer: a 503 that is there after all attempts is returned as it is,
/// and a message's ``HTTPFailure/attempts`` tell of all.
/// An error other than ``HTTPClientError``, of a decorator within, is thrown on as it is.
/// An answer whose body is read as it comes counts by its head: what breaks off later is not asked for again. A request whose
/// body comes in pieces is sent once, and so is one that wants no answer but a cache's (RFC 9111, section 5.2.1.7).
public struct RetryingHTTPClient: HTTPClientDecorator {
    /// The client that sends each attempt.
    public let base: any HTTPClient

    private let policy: HTTPRetryPolicy
    private let budget: RetryBudget?
    private let clock: any Clock<Duration>
    private let random: RandomUnit
    private let now: @Sendable () -> Date

    /// Retries by a policy.
    ///
    /// - Parameters:
    ///   - base: The client that sends each attempt.
    ///   - policy: Which requests are sent again after which failures, how often, after how long, and how many of all.
    ///   - clock: What delays are measured by.
    ///   - generator: Where the jitter comes from.
    ///   - now: What the date in a `Retry-After` is counted from when the answer does not say its own date.
    public init(
        _ base: any HTTPClient,
        policy: HTTPRetryPolicy = HTTPRetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        self.policy = policy
        self.clock = clock
        self.now = now
        budget = RetryBudget(policy.budget)
        random = RandomUnit(generator)
    }

    /// How often a request is sent in all.
    public var summary: String { "retry, at most \(policy.maximumAttempts) attempts" }

    /// Sends the request until it succeeds or there is to be no further attempt.
    ///
    /// - Throws: ``HTTPClientError/attemptsFailed(_:last:)`` when there were several attempts and the last got no answer;
    ///   the error itself when it was the only one; `CancellationError`.
    public func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        budget?.noteRequest()
        guard policy.mayRepeat(request) || HTTPRequestOptions.current.isSafe(request), body?.isGoneWhenSent != true,
            !request.isForCacheAlone
        else {
            return try await base.stream(request, body: body)
        }
        let log = HTTPRequestOptions.current.attempts
        log?.note([])
        var request = request
        var attempts: [HTTPAttempt] = []
        while true {
            let number = attempts.count + 1
            let failure: HTTPAttempt.Failure
            let delay: Duration
            do {
                let answer = try await Self.stream(request, body: body, through: base, attempt: number)
                failure = .status(answer.0.status)
                let retryAfter = answer.0.retryAfter(now)
                guard let next = self.delay(after: failure, attempt: number, retryAfter) else {
                    if number > 1 { log?.note(attempts + [HTTPAttempt(failure: failure, delay: nil)]) }
                    return answer
                }
                await answer.1.discard()
                delay = next
            } catch let error as HTTPClientError {
                guard !Task.isCancelled else { throw CancellationError() }
                failure = .error(error)
                guard let next = self.delay(after: failure, attempt: number, nil) else {
                    guard number > 1 else { throw error }
                    attempts.append(HTTPAttempt(failure: failure, delay: nil))
                    throw HTTPClientError.attemptsFailed(attempts, last: error)
                }
                delay = next
            }
            attempts.append(HTTPAttempt(failure: failure, delay: delay))
            try await clock.sleep(for: delay)
            request.renewTimeout()
        }
    }

    private static func stream(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient,
        attempt: Int
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard attempt > 1 else { return try await base.stream(request, body: body) }
        var options = HTTPRequestOptions.current
        options.attempt = attempt
        return try await options.use { try await base.stream(request, body: body) }
    }

    /// How long to wait before the next attempt, or nil when this one was the last.
    private func delay(
        after failure: HTTPAttempt.Failure,
        attempt: Int,
        _ retryAfter: Duration?
    ) -> Duration? {
        guard !Task.isCancelled, policy.isPassing(failure),
            let delay = policy.delay(afterAttempt: attempt, retryAfter: retryAfter, random: random.next())
        else { return nil }
        if let deadline = ServiceContext.current?.deadline, deadline.remaining <= delay { return nil }
        guard budget?.takeRetry() ?? true else { return nil }
        return delay
    }
}

extension HTTPRequest {
    /// Whether it goes to no server: what its cache has not now, it will not have a moment later.
    fileprivate var isForCacheAlone: Bool {
        headerFields[values: .cacheControl].contains { $0.lowercased().contains("only-if-cached") }
    }
}

extension HTTPClient {
    /// Sends a request again when it failed in a way that may pass, by a policy.
    ///
    /// - Parameters:
    ///   - policy: Which requests are sent again after which failures, how often, after how long, and how many of all.
    ///   - clock: What delays are measured by.
    ///   - generator: Where the jitter comes from.
    ///   - now: What the date in a `Retry-After` is counted from when the answer does not say its own date.
    public func retrying(
        _ policy: HTTPRetryPolicy = HTTPRetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> RetryingHTTPClient {
        RetryingHTTPClient(self, policy: policy, clock: clock, generator: generator, now: now)
    }
}

import Duet
import DuetContext
public import Foundation
public import HTTPTypes
import ServiceContextModule

/// Sends a request again after a failure that may be temporary.
///
/// ``HTTPRetryPolicy`` says which. Nothing is sent again in these cases, and the last attempt is then the result:
///
/// - The task was canceled.
/// - The deadline in the `ServiceContext` would pass first.
/// - The client's budget for retries is used up.
/// - The request's body came in pieces, which can be read only once.
/// - The request asks for a cached response only (RFC 9111, section 5.2.1.7).
/// - The error is not an ``HTTPClientError``.
///
/// A response stays a response: a 503 after all attempts is returned, and ``HTTPFailure/attempts`` lists all of them. A
/// body that is read as it arrives is not requested again when it breaks off; a collected one is.
public struct RetryingHTTPClient: HTTPClientDecorator {
    /// The client that sends each attempt.
    public let base: any HTTPClient

    private let policy: HTTPRetryPolicy
    private let budget: RetryBudget?
    private let clock: any Clock<Duration>
    private let random: RandomUnit
    private let now: @Sendable () -> Date

    package init(
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

    /// How often a request is sent at most.
    public var summary: String { "retry, at most \(policy.delays.maximumAttempts) attempts" }

    /// Sends the request until it succeeds or there is to be no further attempt.
    ///
    /// - Throws: ``HTTPClientError/attemptsFailed(_:last:)`` when there were several attempts and the last got no
    ///   response; the error itself when it was the only one; `CancellationError`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        budget?.noteRequest()
        let options = HTTPRequestOptions.current
        guard body.canBeSentAgain, !request.isForCacheAlone else { return try await base.send(request, body: body) }
        let mayRepeat = policy.mayRepeat(request) || options.isSafe(request)
        options.attempts?.note([])
        var request = request
        var attempts: [HTTPAttempt] = []
        while true {
            let number = attempts.count + 1
            let failure: HTTPAttempt.Failure
            let delay: Duration
            do {
                let (response, received) =
                    number == 1
                    ? try await base.send(request, body: body)
                    : try await Self.resend(request, body: body, through: base, attempt: number)
                failure = .status(response.status)
                guard mayRepeat, let next = self.delay(after: failure, attempt: number, response.retryAfter(now()))
                else {
                    if number > 1 { options.attempts?.note(attempts + [HTTPAttempt(failure: failure, delay: nil)]) }
                    return (response, received)
                }
                await received.discard()
                delay = next
            } catch let error as HTTPClientError {
                guard !Task.isCancelled else { throw CancellationError() }
                failure = .error(error)
                guard mayRepeat || error.isUnsent, let next = self.delay(after: failure, attempt: number, nil) else {
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

    private static func resend(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient,
        attempt: Int
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        options.attempt = attempt
        return try await options.use { try await base.send(request, body: body) }
    }

    private func delay(
        after failure: HTTPAttempt.Failure,
        attempt: Int,
        _ retryAfter: Duration?
    ) -> Duration? {
        guard !Task.isCancelled, policy.isRetried(failure),
            let delay = policy.delays.delay(afterAttempt: attempt, retryAfter: retryAfter, random: random.next())
        else { return nil }
        if let deadline = ServiceContext.current?.deadline, deadline.remaining <= delay { return nil }
        guard budget?.takeRetry() ?? true else { return nil }
        return delay
    }
}

extension HTTPRequest {
    /// Whether the request is `only-if-cached`, which a retry cannot help.
    fileprivate var isForCacheAlone: Bool {
        headerFields[values: .cacheControl].contains { $0.lowercased().contains("only-if-cached") }
    }
}

extension HTTPResponse {
    /// How long the server asks to wait (RFC 9110, section 10.2.3); nil when it does not, or not in a valid way.
    ///
    /// A date is compared with the response's own `Date`, because clocks may differ, or else with `now`.
    func retryAfter(_ now: Date? = nil) -> Duration? {
        guard let value = headerFields[.retryAfter]?.trimmingCharacters(in: .whitespaces), !value.isEmpty else {
            return nil
        }
        if value.utf8.allSatisfy(FieldSyntax.isDigit) {
            return .seconds(Int64(value) ?? .max)
        }
        // The year of an obsolete form is relative to another date.
        let sent = headerFields[.date].flatMap { HTTPDate.parse($0, now: now ?? Date(timeIntervalSince1970: 0)) }
        guard let start = sent ?? now, let date = HTTPDate.parse(value, now: now ?? start) else { return nil }
        return .seconds(date.timeIntervalSince(start))
    }
}

extension HTTPClient {
    /// Sends a request again after a failure that may be temporary, by a policy.
    ///
    /// - Parameters:
    ///   - policy: Decides about the repeats.
    ///   - clock: Measures the delays.
    ///   - generator: The source of the jitter.
    ///   - now: The time that the date in a `Retry-After` is compared with when the response has no `Date`.
    public func retrying(
        _ policy: HTTPRetryPolicy = HTTPRetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> RetryingHTTPClient {
        RetryingHTTPClient(self, policy: policy, clock: clock, generator: generator, now: now)
    }
}

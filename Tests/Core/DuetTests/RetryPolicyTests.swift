import Duet
import Testing

@Suite
struct RetryPolicyTests {
    @Test(arguments: [
        (1, 100), (2, 200), (3, 400), (4, 800), (5, 1_000), (6, 1_000), (10_000, 1_000), (.max - 1, 1_000),
    ])
    func `the backoff grows up to its maximum`(attempt: Int, milliseconds: Int) {
        let policy = RetryPolicy(
            maximumAttempts: .max,
            backoff: .exponential(initial: .milliseconds(100), maximum: .seconds(1)),
            jitter: false
        )
        #expect(policy.delay(afterAttempt: attempt, error: Refusal(), random: 0) == .milliseconds(milliseconds))
    }

    @Test(arguments: [(nil, 1), (-5, 1), (0, 1), (7, 8), (20, 21), (21, nil)] as [(Int?, Int?)])
    func `an error can ask for a pause, up to a limit`(retryAfter: Int?, delay: Int?) {
        let policy = RetryPolicy(backoff: .constant(.seconds(1)), jitter: false, maximumRetryAfter: .seconds(20))
        let error = Overloaded(retryAfter: retryAfter.map { .seconds($0) })
        #expect(policy.delay(afterAttempt: 1, error: error, random: 0) == delay.map { .seconds($0) })
        #expect(policy.delay(afterAttempt: 3, error: error, random: 0) == nil)
    }

    @Test(arguments: [1, 2, 10_000])
    func `a constant backoff does not grow`(attempt: Int) {
        let policy = RetryPolicy(maximumAttempts: .max, backoff: .constant(.seconds(3)), jitter: false)
        #expect(policy.delay(afterAttempt: attempt, error: Refusal(), random: 0.5) == .seconds(3))
    }

    @Test(arguments: [(2, true), (3, false), (4, false)])
    func `there is no delay after the last attempt`(attempt: Int, isTriedAgain: Bool) {
        let policy = RetryPolicy(maximumAttempts: 3)
        #expect((policy.delay(afterAttempt: attempt, error: Refusal(), random: 0.5) != nil) == isTriedAgain)
    }

    @Test(arguments: [(0.0, 0), (0.25, 2_000), (0.5, 4_000), (0.75, 6_000), (-1, 0), (2, 8_000), (.nan, 0)])
    func `full jitter draws a delay from zero up to the backoff`(random: Double, milliseconds: Int) {
        let policy = RetryPolicy(backoff: .constant(.seconds(8)))
        #expect(policy.delay(afterAttempt: 1, error: Refusal(), random: random) == .milliseconds(milliseconds))
    }

    @Test(
        arguments: [
            (CancellationError() as any Error, false),
            (DispatchError.handlerNotFound(message: "x"), false),
            (DispatchError.timedOut(message: "x", after: .zero), true),
            (Refusal(), true),
            (Refusal(reason: "final"), false),
        ]
    )
    func `some errors are never retried`(error: any Error, isTriedAgain: Bool) {
        let policy = RetryPolicy { ($0 as? Refusal)?.reason != "final" }
        #expect((policy.delay(afterAttempt: 1, error: error, random: 0.5) != nil) == isTriedAgain)
    }

    @Test(arguments: [0, 0.5, 1, 1e300, -.infinity, .infinity, .nan] as [Double])
    func `no factor makes the backoff overflow or shrink`(factor: Double) throws {
        let policy = RetryPolicy(
            maximumAttempts: .max,
            backoff: .exponential(initial: .seconds(1), factor: factor, maximum: .seconds(Int64.max)),
            jitter: false
        )
        var last = Duration.zero
        for attempt in [1, 2, 3, 10_000] {
            let delay = try #require(policy.delay(afterAttempt: attempt, error: Refusal(), random: 0))
            #expect(delay >= last && delay >= .seconds(1) && delay <= .seconds(Int64.max))
            last = delay
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a backoff that starts at zero stays at zero`(initial: Duration) {
        let policy = RetryPolicy(
            maximumAttempts: .max,
            backoff: .exponential(initial: initial, maximum: .seconds(1)),
            jitter: false
        )
        #expect(policy.delay(afterAttempt: 10_000, error: Refusal(), random: 0) == .zero)
    }

    @Test(arguments: [0, -1, Int.min])
    func `an invalid attempt number counts as the first`(attempt: Int) {
        let policy = RetryPolicy(
            backoff: .exponential(initial: .seconds(1), maximum: .seconds(9)),
            jitter: false
        )
        #expect(policy.delay(afterAttempt: attempt, error: Refusal(), random: 0) == .seconds(1))
    }
}

private struct Overloaded: TemporaryError {
    let isTemporary = true
    let retryAfter: Duration?
}

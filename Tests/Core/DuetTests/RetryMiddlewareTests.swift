import Duet
import DuetTesting
import Synchronization
import TestSupport
import Testing

@Suite
struct RetryMiddlewareTests {
    private let clock = ManualClock()

    @Test(arguments: [(1, 1), (2, 2), (7, 7), (0, 1), (-3, 1)])
    func `a query that always fails is tried as often as the policy allows`(maximum: Int, attempts: Int) async throws {
        let handler = FlakyHandler(failures: .max)
        let dispatcher = try StandardDispatcher { handler }.retrying(atOnce(maximum), clock: clock)
        await #expect(throws: Refusal(reason: "attempt \(attempts)")) { try await dispatcher.dispatch(Flaky()) }
        #expect(handler.attempts == attempts)
    }

    @Test(arguments: [(0, 1), (1, 2), (4, 5)])
    func `a query is tried until it succeeds`(failures: Int, attempts: Int) async throws {
        let handler = FlakyHandler(failures: failures)
        let dispatcher = try StandardDispatcher { handler }.retrying(atOnce(5), clock: clock)
        #expect(try await dispatcher.dispatch(Flaky()) == attempts)
        #expect(handler.attempts == attempts)
    }

    @Test
    func `a command is not repeated`() async throws {
        let handler = FlakyCommandHandler(failures: 1)
        let dispatcher = try StandardDispatcher { handler }.retrying(atOnce(5), clock: clock)
        await #expect(throws: Refusal(reason: "attempt 1")) { try await dispatcher.dispatch(FlakyCommand()) }
        #expect(handler.attempts == 1)
    }

    @Test
    func `a command is repeated if the middleware allows it`() async throws {
        let handler = FlakyCommandHandler(failures: 2)
        let dispatcher = try StandardDispatcher { handler }
            .retrying(atOnce(3), repeatsCommands: true, clock: clock)
        try await dispatcher.dispatch(FlakyCommand())
        #expect(handler.attempts == 3)
    }

    @Test
    func `only errors that the policy accepts are retried`() async throws {
        let handler = FlakyHandler(failures: .max)
        let policy = atOnce(5) { ($0 as? Refusal)?.reason != "attempt 3" }
        let dispatcher = try StandardDispatcher { handler }.retrying(policy, clock: clock)
        await #expect(throws: Refusal(reason: "attempt 3")) { try await dispatcher.dispatch(Flaky()) }
        #expect(handler.attempts == 3)
    }

    @Test
    func `a cancellation is never retried`() async throws {
        let handler = FlakyHandler(failures: .max, error: CancellationError())
        let dispatcher = try StandardDispatcher { handler }.retrying(atOnce(5), clock: clock)
        await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(Flaky()) }
        #expect(handler.attempts == 1)
    }

    @Test
    func `a canceled caller receives the error of its only attempt`() async throws {
        let handler = FlakyHandler(failures: .max)
        let dispatcher = try StandardDispatcher { handler }.retrying(atOnce(5), clock: clock)
        let result = await canceled { try await dispatcher.dispatch(Flaky()) }
        #expect(throws: Refusal(reason: "attempt 1")) { try result.get() }
        #expect(handler.attempts == 1)
    }

    @Test
    func `canceling the wait ends it`() async throws {
        let handler = FlakyHandler(failures: .max)
        let policy = RetryPolicy(backoff: .constant(.seconds(1)), jitter: false)
        let dispatcher = try StandardDispatcher { handler }.retrying(policy, clock: clock)
        let query = Task { try await dispatcher.dispatch(Flaky()) }
        await clock.nextSleeper()
        query.cancel()
        await #expect(throws: CancellationError.self) { try await query.value }
        #expect(handler.attempts == 1)
    }

    @Test
    func `it waits for the delay of the policy`() async throws {
        let policy = RetryPolicy(
            maximumAttempts: 5,
            backoff: .exponential(initial: .milliseconds(100), maximum: .milliseconds(500)),
            jitter: false
        )
        #expect(try await delays(of: policy, failures: 4) == [100, 200, 400, 500].map { .milliseconds($0) })
    }

    @Test
    func `the generator places the delay within the backoff`() async throws {
        let policy = RetryPolicy(maximumAttempts: 3, backoff: .constant(.seconds(8)))
        let quarter = ConstantGenerator(number: 1 << 62)
        #expect(try await delays(of: policy, failures: 2, generator: quarter) == [.seconds(2), .seconds(2)])
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a delay with jitter is within the backoff`(seed: UInt64) async throws {
        let policy = RetryPolicy(maximumAttempts: 200, backoff: .constant(.seconds(1)))
        let delays = try await delays(of: policy, failures: 199, generator: SeededGenerator(seed: seed))
        #expect(delays.allSatisfy { $0 > .zero && $0 < .seconds(1) }, "seed \(seed)")
        #expect(Set(delays).count > 190, "seed \(seed)")
        #expect(delays.contains { $0 < .milliseconds(100) }, "seed \(seed)")
        #expect(delays.contains { $0 > .milliseconds(900) }, "seed \(seed)")
    }

    @Test
    func `a timeout within a retry limits each attempt`() async throws {
        let handler = NapHandler(clock: clock)
        let dispatcher = try StandardDispatcher { handler }
            .timeout(.seconds(1), clock: clock).retrying(atOnce(2), clock: clock)
        let nap = Task { try await dispatcher.dispatch(Nap(duration: .seconds(9))) }
        for _ in 1...2 {
            await clock.nextSleeper()
            await clock.nextSleeper()
            clock.advance(by: .seconds(1))
        }
        await #expect(throws: DispatchError.timedOut(message: "DuetTests.Nap", after: .seconds(1))) {
            try await nap.value
        }
        #expect(handler.journal.entries == ["canceled", "canceled"])
    }

    private func atOnce(
        _ attempts: Int,
        isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> RetryPolicy {
        RetryPolicy(
            maximumAttempts: attempts,
            backoff: .constant(.zero),
            jitter: false,
            isRetryable: isRetryable
        )
    }

    /// Returns the delays before each further attempt of a query that fails a number of times.
    private func delays(
        of policy: RetryPolicy,
        failures: Int,
        generator: any RandomNumberGenerator & Sendable = ConstantGenerator(number: .max)
    ) async throws -> [Duration] {
        let dispatcher = try StandardDispatcher { FlakyHandler(failures: failures) }
            .retrying(policy, clock: clock, generator: generator)
        let query = Task { try await dispatcher.dispatch(Flaky()) }
        var delays: [Duration] = []
        for _ in 0..<failures {
            let delay = await clock.nextSleeper()
            delays.append(delay)
            clock.advance(by: delay)
        }
        #expect(try await query.value == failures + 1)
        return delays
    }
}

/// Returns the number of attempts.
private struct Flaky: Query { typealias Value = Int }
private struct FlakyCommand: Command {}

private final class FlakyHandler: QueryHandler, Sendable {
    private let failures: Int
    private let error: (any Error)?
    private let count = Mutex(0)

    var attempts: Int { count.withLock { $0 } }

    init(failures: Int, error: (any Error)? = nil) {
        self.failures = failures
        self.error = error
    }

    func handle(_ query: Flaky) async throws -> Int {
        let attempt = count.withLock { count in
            count += 1
            return count
        }
        guard attempt > failures else { throw error ?? Refusal(reason: "attempt \(attempt)") }
        return attempt
    }
}

private final class FlakyCommandHandler: CommandHandler, Sendable {
    private let query: FlakyHandler

    var attempts: Int { query.attempts }

    init(failures: Int) {
        query = FlakyHandler(failures: failures)
    }

    func handle(_ command: FlakyCommand) async throws { _ = try await query.handle(Flaky()) }
}

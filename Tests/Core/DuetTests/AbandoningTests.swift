import Duet
import DuetTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AbandoningTests {
    private struct Failure: Error {}

    private let clock = ManualClock()
    private let abandoned = AbandonedOperations()
    private let end = Monitor(false)

    /// Begins an operation that ignores its cancellation until ``end`` is true.
    private func beginDeaf() async -> Task<String?, Never> {
        let task = Task { [clock, abandoned, end] in
            await abandoning(after: .seconds(1), clock: clock, countedBy: abandoned) {
                await end.waitEvenIfCanceled { $0 }
                return Task.isCancelled ? "canceled" : "done"
            }
        }
        #expect(await clock.nextSleeper() == .seconds(1))
        return task
    }

    private func untilNoneIsAbandoned() async {
        while abandoned.count > 0 { await Task.yield() }
    }

    @Test func `an operation in time returns its value, or throws its error`() async throws {
        #expect(await abandoning(after: .seconds(1), clock: clock, countedBy: abandoned) { "done" } == "done")
        await #expect(throws: Failure.self) {
            try await abandoning(after: .seconds(1), clock: clock, countedBy: abandoned) { throw Failure() }
        }
        clock.advance(by: .seconds(1))
        #expect(abandoned.count == 0)
    }

    @Test(arguments: [Duration.milliseconds(999), .seconds(1), .milliseconds(1_001)])
    func `an operation that ignores its cancellation is abandoned, and counted until it ends`(
        time: Duration
    ) async throws {
        let task = await beginDeaf()
        clock.advance(by: time)
        let isLate = time >= .seconds(1)
        if isLate {
            #expect(await task.value == nil)
            #expect(abandoned.count == 1)
        }
        end.update { $0 = true }
        if !isLate { #expect(await task.value == "done") }
        await untilNoneIsAbandoned()
    }

    @Test func `each abandoned operation counts`() async {
        for number in 1...3 {
            let task = await beginDeaf()
            clock.advance(by: .seconds(1))
            #expect(await task.value == nil)
            #expect(abandoned.count == number)
        }
        end.update { $0 = true }
        await untilNoneIsAbandoned()
    }

    @Test func `the cancellation of the caller cancels the operation, and does not abandon it`() async {
        let task = await beginDeaf()
        task.cancel()
        for _ in 1...100 { await Task.yield() }
        #expect(abandoned.count == 0)
        end.update { $0 = true }
        #expect(await task.value == "canceled")
    }

    @Test func `an operation of a canceled caller is abandoned at the deadline`() async {
        let task = await beginDeaf()
        task.cancel()
        clock.advance(by: .seconds(1))
        #expect(await task.value == nil)
        #expect(abandoned.count == 1)
        end.update { $0 = true }
        await untilNoneIsAbandoned()
    }

    @Test func `an operation can be canceled before it is abandoned`() async {
        let (gate, canceled) = (Gate(), Monitor(false))
        let value = await abandonable(onStart: { $0.cancel() }) {
            try? await gate.pass()
            canceled.update { $0 = Task.isCancelled }
            return "done"
        }
        #expect(value == "done")
        #expect(canceled.read { $0 })
    }

    @Test func `an operation that begins on the current thread is abandoned after it has suspended`() async {
        let value = await abandonable(countedBy: abandoned, startsHere: true, onStart: { $0.abandon() }) { [end] in
            await end.waitEvenIfCanceled { $0 }
            return Task.isCancelled ? "canceled" : "done"
        }
        #expect(value == nil)
        #expect(abandoned.count == 1)
        end.update { $0 = true }
        await untilNoneIsAbandoned()
    }
}

import DuetTesting
import Synchronization
import TestSupport
import Testing

@Suite
struct ManualClockTests {
    private let clock = ManualClock()

    @Test
    func `a clock does not advance by itself`() {
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(2))
        clock.advance(by: .milliseconds(1))
        #expect(clock.now.offset == .milliseconds(2_001))
        #expect(clock.minimumResolution == .zero)
    }

    @Test
    func `instants have distances`() {
        let start = clock.now
        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))
        #expect(clock.now.duration(to: start) == .seconds(-3))
        #expect(start.advanced(by: .seconds(3)) == clock.now)
        #expect(start < clock.now)
    }

    @Test
    func `waiting for a sleeper ends with its task`() async {
        let waiting = Task { await clock.nextSleeper() }
        waiting.cancel()
        #expect(await waiting.value == .zero)
        let next = Task { await clock.nextSleeper() }
        let sleeper = Task { try await clock.sleep(for: .seconds(2)) }
        #expect(await next.value == .seconds(2))
        sleeper.cancel()
    }

    @Test
    func `a sleeper wakes at its deadline and not earlier`() async throws {
        let journal = Journal<Duration>()
        let task = sleep(.seconds(2), journal)
        #expect(await clock.nextSleeper() == .seconds(2))
        clock.advance(by: .milliseconds(1_999))
        #expect(journal.entries == [])
        clock.advance(by: .milliseconds(1))
        try await task.value
        #expect(journal.entries == [.seconds(2)])
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a deadline that has passed causes no sleep`(duration: Duration) async throws {
        try await clock.sleep(for: duration)
        let now = clock.now
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: now)
        #expect(clock.now.offset == .seconds(5))
    }

    @Test
    func `each sleeper is reported once, in the order in which the sleeps began`() async throws {
        let journal = Journal<Duration>()
        let first = sleep(.seconds(3), journal)
        #expect(await clock.nextSleeper() == .seconds(3))
        let second = sleep(.seconds(1), journal)
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .seconds(3))
        try await first.value
        try await second.value
        #expect(Set(journal.entries) == [.seconds(1), .seconds(3)])
    }

    @Test
    func `sleepers wake in the order of their deadlines`() async throws {
        let (clock, executor) = (clock, SerialTaskExecutor())
        let woken = Journal<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, seconds) in [3, 1, 2, 1].enumerated() {
                group.addTask(executorPreference: executor) {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.write(place)
                }
            }
            for _ in 0..<4 { await clock.nextSleeper() }
            clock.advance(by: .seconds(5))
            try await group.waitForAll()
        }
        #expect(woken.entries == [1, 3, 2, 0])
    }

    @Test
    func `an advance wakes only the sleepers whose deadlines have passed`() async throws {
        let journal = Journal<Duration>()
        let early = sleep(.seconds(1), journal)
        let late = sleep(.seconds(2), journal)
        await clock.nextSleeper()
        await clock.nextSleeper()
        clock.advance(by: .seconds(1))
        try await early.value
        #expect(journal.entries == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await late.value
        #expect(journal.entries == [.seconds(1), .seconds(2)])
    }

    @Test
    func `a watcher that waits first receives the next sleeper`() async throws {
        async let announced = clock.nextSleeper()
        let task = sleep(.seconds(4), Journal())
        #expect(await announced == .seconds(4))
        clock.advance(by: .seconds(4))
        try await task.value
    }

    @Test
    func `the remaining time is counted from the current instant`() async throws {
        clock.advance(by: .seconds(10))
        let deadline = clock.now.advanced(by: .seconds(7))
        let task = Task { try await clock.sleep(until: deadline) }
        #expect(await clock.nextSleeper() == .seconds(7))
        clock.advance(by: .seconds(7))
        try await task.value
    }

    @Test
    func `a canceled sleep ends immediately and is removed`() async throws {
        let journal = Journal<Duration>()
        let cancelled = sleep(.seconds(1), journal)
        await clock.nextSleeper()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        clock.advance(by: .seconds(1))
        #expect(journal.entries == [])
    }

    @Test
    func `a sleeper that has ended is not reported`() async throws {
        let cancelled = sleep(.seconds(1), Journal())
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let task = sleep(.seconds(2), Journal())
        #expect(await clock.nextSleeper() == .seconds(2))
        clock.advance(by: .seconds(2))
        try await task.value
    }

    @Test
    func `a canceled task does not sleep`() async {
        await withThrowingTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { try await clock.sleep(for: .seconds(1)) }
            await #expect(throws: CancellationError.self) { try await group.waitForAll() }
        }
    }

    @Test
    func `thousands of sleepers are canceled while the clock advances`() async {
        let tasks = (1...2_000).map { sleep(.seconds($0), Journal()) }
        for number in 1...2_000 {
            tasks[2_000 - number].cancel()
            clock.advance(by: .seconds(1))
        }
        var ended = 0
        for task in tasks {
            _ = await task.result
            ended += 1
        }
        #expect(ended == 2_000)
    }

    private func sleep(_ duration: Duration, _ journal: Journal<Duration>) -> Task<Void, any Error> {
        Task {
            try await clock.sleep(for: duration)
            journal.write(duration)
        }
    }
}

/// The sleepers that have woken, in order.
private final class Journal<Entry: Sendable>: Sendable {
    private let list = Mutex<[Entry]>([])

    var entries: [Entry] { list.withLock { $0 } }

    func write(_ entry: Entry) {
        list.withLock { $0.append(entry) }
    }
}

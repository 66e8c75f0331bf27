import Duet
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MonitorTests {
    private let monitor = Monitor([Int]())

    /// Waits for a number and takes it.
    private func take(_ number: Int) -> Task<Int, any Error> {
        Task.startingHere { [monitor] in
            try await monitor.wait { numbers in
                numbers.firstIndex(of: number).map { numbers.remove(at: $0) }
            }
        }
    }

    @Test func `a wait ends immediately if its value is available`() async throws {
        monitor.update { $0 = [1, 2] }
        #expect(try await take(2).value == 2)
        #expect(monitor.read(\.self) == [1])
    }

    @Test func `a wait ends with the change that brings its value`() async throws {
        let two = take(2)
        monitor.update { $0.append(1) }
        #expect(monitor.read(\.self) == [1])
        monitor.update { $0.append(2) }
        #expect(monitor.read(\.self) == [1])
        #expect(try await two.value == 2)
    }

    @Test func `a value goes to the task that has waited longest`() async throws {
        let tasks = (1...3).map { _ in take(1) }
        for task in tasks {
            monitor.update { $0.append(1) }
            #expect(monitor.read(\.self).isEmpty)
            #expect(try await task.value == 1)
        }
    }

    @Test func `a change ends every wait whose value it brings`() async throws {
        let tasks = (1...3).map { take($0) }
        monitor.update { $0 = [3, 2, 1] }
        #expect(monitor.read(\.self).isEmpty)
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index + 1) }
    }

    @Test(arguments: [true, false])
    func `a change by one wait may end another`(isThere: Bool) async throws {
        let empty = Task.startingHere { [monitor] in
            try await monitor.wait { $0 == [0] ? $0.removeAll() : nil }
        }
        if isThere {
            monitor.update { $0 = [0, 1] }
            #expect(try await take(1).value == 1)
        } else {
            let one = take(1)
            monitor.update { $0 = [0, 1] }
            #expect(try await one.value == 1)
        }
        try await empty.value
        #expect(monitor.read(\.self).isEmpty)
    }

    @Test func `a canceled wait ends without its value`() async throws {
        let canceled = take(1)
        let other = take(1)
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        monitor.update { $0.append(1) }
        #expect(try await other.value == 1)
    }

    @Test func `a wait in a canceled task does not begin`() async throws {
        let isCanceled = Monitor(false)
        let task = Task.startingHere { [monitor] in
            await isCanceled.waitEvenIfCanceled { $0 }
            return try await monitor.wait { $0.isEmpty ? nil : $0.removeFirst() }
        }
        task.cancel()
        isCanceled.update { $0 = true }
        await #expect(throws: CancellationError.self) { try await task.value }
        monitor.update { $0.append(1) }
        #expect(monitor.read(\.self) == [1])
    }

    @Test func `a wait that ignores cancellation ends with its condition`() async throws {
        let task = Task.startingHere { [monitor] in
            await monitor.waitEvenIfCanceled { $0.count == 2 }
            return monitor.read(\.count)
        }
        task.cancel()
        monitor.update { $0.append(1) }
        monitor.update { $0.append(2) }
        #expect(try await task.value == 2)
    }

    @Test func `a value is not lost when the wait for it is canceled at the same time`() async throws {
        let count = 500
        let tasks = (0..<count).map { _ in take(1) }
        await withTaskGroup { group in
            for task in tasks.enumerated() where task.offset.isMultiple(of: 2) {
                group.addTask { task.element.cancel() }
            }
            for _ in 0..<count { group.addTask { [monitor] in monitor.update { $0.append(1) } } }
        }
        var taken = 0
        for task in tasks { if case .success = await task.result { taken += 1 } }
        #expect(taken >= count / 2)
        #expect(taken + monitor.read(\.count) == count)
    }

    @Test func `no wakeup is lost when many tasks take turns`() async throws {
        let count = 500
        try await withThrowingTaskGroup { group in
            for number in (0..<count).reversed() {
                group.addTask { [monitor] in
                    try await monitor.wait { $0.count == number ? $0.append(number) : nil }
                }
            }
            try await group.waitForAll()
        }
        #expect(monitor.read(\.self) == Array(0..<count))
    }

    @Test func `neither a new wait nor the end of many waits tries the others again and again`() async throws {
        let (monitor, attempts, count) = (Monitor(false), Attempts(), 500)
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    try await monitor.wait { isOpen -> Void? in
                        attempts.number.add(1, ordering: .relaxed)
                        return isOpen ? () : nil
                    }
                }
            }
            // Each wait is tried before it begins, and as it begins.
            while attempts.number.load(ordering: .relaxed) < 2 * count { await Task.yield() }
            monitor.update { $0 = true }
            try await group.waitForAll()
        }
        #expect(attempts.number.load(ordering: .relaxed) == 3 * count)
    }

    private final class Attempts: Sendable {
        let number = Atomic(0)
    }

    @Test func `operations that exclude each other run one after another, also after an error`() async throws {
        struct Failure: Error {}
        let lock = Monitor(false)
        let running = Monitor(0)
        await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    try? await lock.exclusively {
                        #expect(
                            running.update { running in
                                running += 1
                                return running
                            } == 1
                        )
                        await Task.yield()
                        running.update { $0 -= 1 }
                        if number.isMultiple(of: 3) { throw Failure() }
                    }
                }
            }
        }
        #expect(lock.read { !$0 })
    }

    @Test func `a task that is canceled while it waits for its turn does not run`() async throws {
        let lock = Monitor(true)
        let task = Task.startingHere { try await lock.exclusively { Issue.record("It runs.") } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        lock.update { $0 = false }
        #expect(try await lock.exclusively { 1 } == 1)
    }
}

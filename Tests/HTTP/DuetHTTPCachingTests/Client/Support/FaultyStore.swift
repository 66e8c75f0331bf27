import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import Synchronization

/// A store in memory whose operations fail or hang when a test says so, and that can claim to be durable.
final class FaultyStore: HTTPCacheStore {
    enum Operation: CaseIterable {
        case read, insert, remove, removeURI, removePrefix, removeAll
    }

    struct DiskFull: Error {}

    let memory = InMemoryHTTPCacheStore()
    let isDurable: Bool
    /// Holds `removeAll()` after everything has been removed, if there is one.
    private let removing: Gate?
    private let failing = Mutex<Set<Operation>>([])
    private let error = Mutex<any Error>(DiskFull())
    private let asked = Mutex<Set<String>>([])
    private let turn = Mutex((count: 0, failing: 0))
    private let hanging = Mutex((operations: Set<Operation>(), number: 0, clock: HangClock?.none))
    private let released = Gate()

    /// The number of operations so far.
    var count: Int { turn.withLock(\.count) }

    /// The partitions of all lookups.
    var partitions: Set<String> { asked.withLock { $0 } }

    init(isDurable: Bool = false, removing: Gate? = nil) {
        self.isDurable = isDurable
        self.removing = removing
    }

    func fail(_ operations: Operation..., with error: any Error = DiskFull()) {
        self.error.withLock { $0 = error }
        failing.withLock { $0 = Set(operations) }
    }

    /// Makes only the operation with this number fail.
    func fail(number: Int) { turn.withLock { $0.failing = number } }

    func failAll() { failing.withLock { $0 = Set(Operation.allCases) } }

    /// Makes operations hang until ``release()``, even if they are canceled.
    func hang(_ operations: Operation..., on clock: HangClock) {
        hanging.withLock { $0 = (Set(operations), 0, clock) }
    }

    /// Makes only the operation with this number hang.
    func hang(number: Int, on clock: HangClock) {
        hanging.withLock { $0 = ([], number, clock) }
    }

    /// Ends the operations that hang.
    func release() {
        hanging.withLock { hanging in
            hanging.clock?.stop()
            hanging = ([], 0, nil)
        }
        released.open()
    }

    private func hangIfNeeded(_ operation: Operation, number: Int) async {
        let clock = hanging.withLock { hanging in
            hanging.operations.contains(operation) || hanging.number == number ? hanging.clock : nil
        }
        guard let clock else { return }
        clock.start()
        // In another task, because this one may be canceled.
        await Task { [released] in try? await released.pass() }.value
    }

    private func check(_ operation: Operation) async throws {
        let (number, isItsTurn) = turn.withLock { turn in
            turn.count += 1
            return (turn.count, turn.count == turn.failing)
        }
        await hangIfNeeded(operation, number: number)
        if isItsTurn || failing.withLock({ $0.contains(operation) }) { throw error.withLock(\.self) }
    }

    func responses(for key: HTTPCacheKey) async throws -> [StoredResponse] {
        asked.withLock { _ = $0.insert(key.partition) }
        try await check(.read)
        return memory.responses(for: key)
    }

    func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) async throws -> Bool {
        try await check(.insert)
        return memory.insert(response, for: key, replacing: ids)
    }

    func remove(_ removal: HTTPCacheRemoval) async throws {
        switch removal {
        case .responses: try await check(.remove)
        case .uri: try await check(.removeURI)
        case .prefix: try await check(.removePrefix)
        }
        memory.remove(removal)
    }

    func removeAll() async throws {
        try await check(.removeAll)
        memory.removeAll()
        try await removing?.pass()
    }
}

/// A clock whose sleeps end only while a store hangs.
final class HangClock: Clock {
    private let gate = Mutex(Gate())
    private let slept = Mutex<[Duration]>([])

    let now = ContinuousClock.now
    var minimumResolution: Duration { .zero }

    /// The durations of the sleeps that have ended.
    var sleeps: [Duration] { slept.withLock { $0 } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await gate.withLock { $0 }.pass()
        // The timer of an operation that has ended may begin only now, when the gate is open for another one.
        try Task.checkCancellation()
        slept.withLock { $0.append(now.duration(to: deadline)) }
    }

    fileprivate func start() { gate.withLock { $0 }.open() }
    fileprivate func stop() { gate.withLock { $0 = Gate() } }
}

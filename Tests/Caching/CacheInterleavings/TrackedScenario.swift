import Duet
import DuetCaching
import DuetTesting
import Synchronization

/// Concurrent tasks that read, observe and write the data of a tracked source, without a rule except for one that
/// narrows.
final class TrackedScenario: Interleaving {
    private struct Observer: Sendable {
        let key: Int
        let task: Task<Void, Never>
        var last: Int?
    }

    private struct State: Sendable {
        var random: SeededGenerator
        /// The oldest value of each key that a read may return as fresh if it begins now.
        var floor = [Int](repeating: 0, count: TrackedNumbers.keys.count)
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
    }

    let log = StepLog()
    private let state: Mutex<State>
    private let source: TrackedNumbers
    private let dispatcher: CachingDispatcher
    private let clock = ManualClock()
    private let sourceFails: Bool

    init(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sourceFails = Int.random(in: 0..<3, using: &generator) == 0
        self.sourceFails = sourceFails
        let chance = Chance(SeededGenerator(seed: generator.next()))
        source = TrackedNumbers { sourceFails && chance.isOneIn(4) }
        let entries = Int.random(in: 2..<8, using: &generator)
        state = Mutex(State(random: generator))
        dispatcher = try source.caching(in: .memory(limit: .entries(entries)), tracking: source, clock: clock) {
            Cache(LoadNumber.self, .untilInvalidated.cachingErrors(for: .seconds(60)))
            Cache(LoadAll.self, .untilInvalidated)
            // It writes a column that all values show, and says which of them it really changes.
            Invalidate(LoadNumber.self, after: WriteOne.self) { $0.key == $1.key }
        }
        source.cache.withLock { $0 = dispatcher }
        source.onWrite.withLock { onWrite in
            onWrite = { [weak self] in
                guard let self else { return }
                let values = source.values
                state.withLock { $0.floor = values }
            }
        }
    }

    private func pick(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.random) } }

    func run() async {
        await runTasks(pick(2..<6), stepCount: { [self] in pick(0..<5) }) { [self] in await step($0) }
    }

    private func step(_ task: Int) async {
        let key = pick(TrackedNumbers.keys)
        switch pick(0..<14) {
        case 0..<5: await read(key, task)
        case 5, 6: observe(key, task)
        case 7, 8: await send(Write(columns: [pick(0..<3)]), task)
        case 9: await send(Write(columns: [pick(0..<3), pick(0..<3)]), task)
        case 10, 11: await send(WriteOne(key: pick(TrackedNumbers.rows)), task)
        case 12:
            note("\(task) writes without a command")
            await source.write(column: pick(0..<3), by: nil)
        default:
            note("\(task) removes everything")
            try? await dispatcher.cache.removeAll()
        }
    }

    private func result(_ key: Int, _ mode: ReadMode) async throws -> ReadResult<Int> {
        key == TrackedNumbers.all
            ? try await dispatcher.read(LoadAll(), mode) : try await dispatcher.read(LoadNumber(key: key), mode)
    }

    private func read(_ key: Int, _ task: Int) async {
        let mode = [ReadMode.cacheFirst, .cacheFirst, .cacheFirst, .fresh, .cacheOnly][pick(0..<5)]
        let floor = state.withLock { $0.floor[key] }
        note("\(task) reads \(key), \(mode)")
        guard let result = try? await result(key, mode) else { return note("\(task) could not read \(key)") }
        note("\(task) has read \(key): \(result.value), \(result.isStale ? "stale" : "fresh")")
        // No older load is joined, and no error is replaced by an older value.
        if result.value < floor, !result.isStale || mode != .cacheOnly {
            fault("\(task) has read \(result.value) of \(key), although \(floor) was there")
        }
    }

    private func observe(_ key: Int, _ task: Int) {
        let id = state.withLock { state in
            state.lastObserver += 1
            return state.lastObserver
        }
        note("\(task) observes \(key)")
        let observation = Task { [self] in
            let values =
                key == TrackedNumbers.all
                ? dispatcher.observe(LoadAll()) : dispatcher.observe(LoadNumber(key: key))
            for await value in values.compactMap(\.value) {
                note("\(task) has observed \(key): \(value)")
                state.withLock { $0.observers[id]?.last = value }
            }
        }
        state.withLock { $0.observers[id] = Observer(key: key, task: observation) }
    }

    private func send(_ command: some Command, _ task: Int) async {
        note("\(task) sends \(command)")
        try? await dispatcher.dispatch(command)
        note("\(task) has sent \(command)")
    }

    func passTime() { clock.advance(by: .milliseconds(100)) }

    func check() async {
        let values = source.values
        for observer in state.withLock(\.observers).values {
            if !sourceFails, observer.last != values[observer.key] {
                let last = observer.last.map(String.init) ?? "nothing"
                fault("an observer has \(last) of \(observer.key), and not \(values[observer.key])")
            }
            observer.task.cancel()
            await observer.task.value
        }
        for key in TrackedNumbers.keys {
            guard let result = try? await result(key, .cacheFirst), !result.isStale else { continue }
            if result.value != values[key] {
                fault("at rest, \(result.value) of \(key) is fresh, and not \(values[key])")
            }
        }
        source.cache.withLock { $0 = nil }
    }
}

/// A query for a number, which is made of two columns.
struct LoadNumber: Query, Hashable {
    typealias Value = Int
    let key: Int
}

/// A query for the sum of the first two numbers, whose handler reads them from the cache.
struct LoadAll: Query, Hashable {
    typealias Value = Int
}

/// Writes columns, each in its own commit.
private struct Write: Command {
    let columns: [Int]
}

/// Changes the number of one key.
private struct WriteOne: Command {
    let key: Int
}

/// Columns of numbers, whose reads and commits are tracked.
final class TrackedNumbers: Dispatcher, TrackedSource {
    /// The keys of ``LoadNumber``, and the one of ``LoadAll``.
    static let keys = 0..<4
    static let rows = 0..<3
    static let all = 3

    private struct State: Sendable {
        var columns = [0, 0, 0]
        /// What ``WriteOne`` has changed.
        var rows = [0, 0, 0]

        /// The second column is read only if there is something in the first.
        func number(_ key: Int) -> Int { columns[0] > 0 ? columns[0] + columns[key] + rows[key] : rows[key] }
    }

    let tracker = DataTracker("numbers")
    let cache = Mutex<CachingDispatcher?>(nil)
    /// Is called after each write.
    let onWrite = Mutex<@Sendable () -> Void>({})
    private let state = Mutex(State())
    private let isFailing: @Sendable () -> Bool

    init(isFailing: @escaping @Sendable () -> Bool) {
        self.isFailing = isFailing
    }

    /// The present values of all keys.
    var values: [Int] {
        let state = state.withLock(\.self)
        return Self.rows.map(state.number) + [state.number(0) + state.number(1)]
    }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        await RandomExecutor.pause()
        var result: Any = ()
        if let query = message as? LoadNumber {
            result = await read(query.key)
        } else if message is LoadAll, let cache = cache.withLock(\.self) {
            result = try await cache.dispatch(LoadNumber(key: 0)) + cache.dispatch(LoadNumber(key: 1))
        } else if let command = message as? Write {
            for column in command.columns { await write(column: column, by: DataUse.current) }
        } else if let command = message as? WriteOne {
            await write(by: DataUse.current, narrows: true, [column("rows")]) { $0.rows[command.key] += 1 }
        }
        // A command goes on after its last commit.
        await RandomExecutor.pause()
        try Task.checkCancellation()
        guard !isFailing(), let value = result as? M.Value else { throw Failed() }
        return value
    }

    private func column(_ name: String) -> DataName { DataName(tracker, "numbers", .column(name)) }

    private func read(_ key: Int) async -> Int {
        let owner = DataOwner.current
        await RandomExecutor.pause()
        let state = state.withLock(\.self)
        var names: Set = [column("rows"), column("0"), tracker.everything]
        if state.columns[0] > 0 { names.insert(column("\(key)")) }
        tracker.noteRead(names, by: owner)
        return state.number(key)
    }

    func write(column index: Int, by writer: DataUse?) async {
        await write(by: writer, narrows: false, [column("\(index)")]) { $0.columns[index] += 1 }
    }

    private func write(
        by writer: DataUse?,
        narrows: Bool,
        _ names: Set<DataName>,
        _ change: (inout State) -> Void
    ) async {
        await RandomExecutor.pause()
        state.withLock { change(&$0) }
        tracker.noteCommit(names, by: writer.map(DataOwner.use) ?? .nobody, narrows: narrows)
        if narrows, let writer { tracker.endNarrowing(by: writer) }
        onWrite.withLock(\.self)()
        await RandomExecutor.pause()
    }
}

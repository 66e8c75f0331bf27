import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import Synchronization

/// A store in memory whose operations fail or hang when a test says so, and that can claim to be durable.
final class FaultyStore: HTTPCacheStore {
    enum Operation: CaseIterable {
        case entries, body, read, writer, append, commit, discard, update, markUsed, flush, remove
        case removeURI, removePrefix, removeAll
    }

    struct DiskFull: Error {}

    struct Removed: HTTPCacheRemovalError {
        let isRemoval: Bool
    }

    let memory = InMemoryHTTPCacheStore()
    let isDurable: Bool
    /// Holds stored bodies before each piece, if there is one.
    private let reading: Gate?
    /// Holds `removeAll()` after everything has been removed, if there is one.
    private let removing: Gate?
    private let failing = Mutex<Set<Operation>>([])
    private let error = Mutex<any Error>(DiskFull())
    private let asked = Mutex<Set<String>>([])
    private let bytes = Mutex(0)
    private let turn = Mutex((count: 0, failing: 0))
    private let hanging = Mutex((operations: Set<Operation>(), number: 0, clock: HangClock?.none))
    private let released = Gate()

    /// The number of operations so far.
    var count: Int { turn.withLock(\.count) }
    private let longest = Mutex<Int?>(nil)

    /// The number of bytes that were written, committed or not.
    var written: Int { bytes.withLock { $0 } }

    /// The partitions of all lookups.
    var partitions: Set<String> { asked.withLock { $0 } }

    init(isDurable: Bool = false, reading: Gate? = nil, removing: Gate? = nil) {
        self.isDurable = isDurable
        self.reading = reading
        self.removing = removing
    }

    /// Makes bodies end after this number of bytes, without an error and without a size.
    func cutBodies(to count: Int?) { longest.withLock { $0 = count } }

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

    fileprivate func check(_ operation: Operation) async throws {
        let (number, isItsTurn) = turn.withLock { turn in
            turn.count += 1
            return (turn.count, turn.count == turn.failing)
        }
        await hangIfNeeded(operation, number: number)
        if isItsTurn || failing.withLock({ $0.contains(operation) }) { throw error.withLock(\.self) }
    }

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        asked.withLock { _ = $0.insert(key.partition) }
        try await check(.entries)
        return memory.entries(for: key)
    }

    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody? {
        try await check(.body)
        let longest = longest.withLock { $0 }
        return memory.body(of: id, in: range).map { body in
            HTTPBody(Pieces(body: body, longest: longest, store: self), size: longest == nil ? body.size : nil)
        }
    }

    func writer(for key: HTTPCacheKey, length: Int64?) async throws -> any HTTPCacheWriter {
        try await check(.writer)
        return Writer(memory: memory.writer(for: key, length: length), store: self)
    }

    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws {
        try await check(.update)
        memory.update(id, to: response)
    }

    func markUsed(_ id: HTTPCacheEntry.ID) async throws {
        try await check(.markUsed)
        memory.markUsed(id)
    }

    func flush() async throws { try await check(.flush) }

    func remove(_ ids: [HTTPCacheEntry.ID]) async throws {
        try await check(.remove)
        memory.remove(ids)
    }

    func removeAll(uri: String) async throws {
        try await check(.removeURI)
        memory.removeAll(uri: uri)
    }

    func removeAll(prefix: String) async throws {
        try await check(.removePrefix)
        memory.removeAll(prefix: prefix)
    }

    func removeAll() async throws {
        try await check(.removeAll)
        memory.removeAll()
        try await removing?.pass()
    }

    func size() -> Int64 { memory.size() }

    private struct Writer: HTTPCacheWriter {
        let memory: any HTTPCacheWriter
        let store: FaultyStore

        func append(_ piece: Data) async throws -> Bool {
            try await store.check(.append)
            store.bytes.withLock { $0 += piece.count }
            return try await memory.append(piece)
        }

        func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
            try await store.check(.commit)
            return try await memory.commit(response, replacing: ids)
        }

        func discard() async {
            try? await store.check(.discard)
            await memory.discard()
        }
    }

    /// Reads like a database, where each piece may fail.
    private struct Pieces: AsyncSequence, Sendable {
        let body: HTTPBody
        let longest: Int?
        let store: FaultyStore

        struct AsyncIterator: AsyncIteratorProtocol {
            var iterator: HTTPBody.AsyncIterator
            let pieces: Pieces

            mutating func next() async throws -> Data? {
                try await pieces.store.reading?.pass()
                try await pieces.store.check(.read)
                guard let piece = try await iterator.next() else { return nil }
                return pieces.longest.map { piece.prefix($0) } ?? piece
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self)
        }
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

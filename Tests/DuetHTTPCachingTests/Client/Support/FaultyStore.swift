import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import Synchronization

/// A store in memory whose operations fail when a test says so, and that can claim to be durable.
final class FaultyStore: HTTPCacheStore {
    enum Operation: CaseIterable {
        case entries, body, read, writer, append, commit, update, markUsed, flush, remove
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

    fileprivate func check(_ operation: Operation) throws {
        let isItsTurn = turn.withLock { turn in
            turn.count += 1
            return turn.count == turn.failing
        }
        if isItsTurn || failing.withLock({ $0.contains(operation) }) { throw error.withLock(\.self) }
    }

    func entries(for key: HTTPCacheKey) throws -> [HTTPCacheEntry] {
        asked.withLock { _ = $0.insert(key.partition) }
        try check(.entries)
        return memory.entries(for: key)
    }

    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) throws -> HTTPBody? {
        try check(.body)
        let longest = longest.withLock { $0 }
        return memory.body(of: id, in: range).map { body in
            HTTPBody(Pieces(body: body, longest: longest, store: self), size: longest == nil ? body.size : nil)
        }
    }

    func writer(for key: HTTPCacheKey, length: Int64?) throws -> any HTTPCacheWriter {
        try check(.writer)
        return Writer(memory: memory.writer(for: key, length: length), store: self)
    }

    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) throws {
        try check(.update)
        memory.update(id, to: response)
    }

    func markUsed(_ id: HTTPCacheEntry.ID) throws {
        try check(.markUsed)
        memory.markUsed(id)
    }

    func flush() throws { try check(.flush) }

    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        try check(.remove)
        memory.remove(ids)
    }

    func removeAll(uri: String) throws {
        try check(.removeURI)
        memory.removeAll(uri: uri)
    }

    func removeAll(prefix: String) throws {
        try check(.removePrefix)
        memory.removeAll(prefix: prefix)
    }

    func removeAll() async throws {
        try check(.removeAll)
        memory.removeAll()
        try await removing?.pass()
    }

    func size() -> Int64 { memory.size() }

    private struct Writer: HTTPCacheWriter {
        let memory: any HTTPCacheWriter
        let store: FaultyStore

        func append(_ piece: Data) async throws -> Bool {
            try store.check(.append)
            store.bytes.withLock { $0 += piece.count }
            return try await memory.append(piece)
        }

        func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
            try store.check(.commit)
            return try await memory.commit(response, replacing: ids)
        }

        func discard() async { await memory.discard() }
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
                try pieces.store.check(.read)
                guard let piece = try await iterator.next() else { return nil }
                return pieces.longest.map { piece.prefix($0) } ?? piece
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self)
        }
    }
}

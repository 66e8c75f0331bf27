import DuetHTTP
import DuetHTTPCaching
import Foundation
import Synchronization

/// A store in memory of which a test lets operations fail; as durable as a file, if it is asked.
final class FaultyStore: HTTPCacheStore {
    enum Operation: CaseIterable {
        case entries, body, read, writer, append, commit, update, markUsed, remove, removeURI, removeAll
    }

    struct DiskFull: Error {}

    let memory = MemoryHTTPCacheStore()
    let isDurable: Bool
    private let failing = Mutex<Set<Operation>>([])
    private let asked = Mutex<Set<String>>([])

    /// All partitions that were looked at.
    var partitions: Set<String> { asked.withLock { $0 } }

    init(isDurable: Bool = false) {
        self.isDurable = isDurable
    }

    func fail(_ operations: Operation...) { failing.withLock { $0 = Set(operations) } }
    func failAll() { failing.withLock { $0 = Set(Operation.allCases) } }

    fileprivate func check(_ operation: Operation) throws {
        if failing.withLock({ $0.contains(operation) }) { throw DiskFull() }
    }

    func entries(for key: HTTPCacheKey) throws -> [HTTPCacheEntry] {
        asked.withLock { _ = $0.insert(key.partition) }
        try check(.entries)
        return memory.entries(for: key)
    }

    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) throws -> HTTPBody? {
        try check(.body)
        return memory.body(of: id, in: range).map { HTTPBody(Pieces(body: $0, store: self), size: $0.size) }
    }

    func writer(for key: HTTPCacheKey) throws -> any HTTPCacheWriter {
        try check(.writer)
        return Writer(memory: memory.writer(for: key), store: self)
    }

    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) throws {
        try check(.update)
        memory.update(id, to: response)
    }

    func markUsed(_ id: HTTPCacheEntry.ID) throws {
        try check(.markUsed)
        memory.markUsed(id)
    }

    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        try check(.remove)
        memory.remove(ids)
    }

    func removeAll(uri: String) throws {
        try check(.removeURI)
        memory.removeAll(uri: uri)
    }

    func removeAll() throws {
        try check(.removeAll)
        memory.removeAll()
    }

    func size() -> Int64 { memory.size() }

    private struct Writer: HTTPCacheWriter {
        let memory: any HTTPCacheWriter
        let store: FaultyStore

        func append(_ piece: Data) async throws {
            try store.check(.append)
            try await memory.append(piece)
        }

        func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
            try store.check(.commit)
            return try await memory.commit(response, replacing: ids)
        }

        func discard() async { await memory.discard() }
    }

    private struct Pieces: AsyncSequence, Sendable {
        let body: HTTPBody
        let store: FaultyStore

        struct AsyncIterator: AsyncIteratorProtocol {
            var iterator: HTTPBody.AsyncIterator
            let store: FaultyStore

            mutating func next() async throws -> Data? {
                try store.check(.read)
                return try await iterator.next()
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: body.makeAsyncIterator(), store: store)
        }
    }
}

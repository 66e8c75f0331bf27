import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import Synchronization

/// A store in memory whose commits wait for a test.
final class GatedStore: HTTPCacheStore {
    private let memory = InMemoryHTTPCacheStore()
    private let commit: Gate
    /// Opens when a response has been stored.
    let commits = Gate()
    /// Holds the first lookup after it has read the entries.
    private let find: Mutex<Gate?>
    private let lines = Mutex<[String]>([])

    init(commit: Gate, find: Gate? = nil) {
        self.commit = commit
        self.find = Mutex(find)
    }

    var log: [String] { lines.withLock { $0 } }
    var isDurable: Bool { false }

    private func note(_ line: String) { lines.withLock { $0.append(line) } }

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let entries = memory.entries(for: key)
        try await find.withLock { $0.take() }?.pass()
        return entries
    }

    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) -> HTTPBody? { memory.body(of: id, in: range) }
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) { memory.update(id, to: response) }
    func markUsed(_ id: HTTPCacheEntry.ID) { memory.markUsed(id) }
    func remove(_ ids: [HTTPCacheEntry.ID]) { memory.remove(ids) }
    func removeAll(prefix: String) { memory.removeAll(prefix: prefix) }
    func removeAll() { memory.removeAll() }
    func size() -> Int64 { memory.size() }

    func removeAll(uri: String) {
        note("remove \(uri)")
        memory.removeAll(uri: uri)
    }

    func writer(for key: HTTPCacheKey, length: Int64?) -> any HTTPCacheWriter {
        Writer(memory: memory.writer(for: key, length: length), store: self)
    }

    private struct Writer: HTTPCacheWriter {
        let memory: any HTTPCacheWriter
        let store: GatedStore

        func append(_ piece: Data) async throws -> Bool { try await memory.append(piece) }
        func discard() async { await memory.discard() }

        func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
            try await store.commit.pass()
            store.note("commit")
            let entry = try await memory.commit(response, replacing: ids)
            store.commits.open()
            try await store.commits.pass()
            return entry
        }
    }
}

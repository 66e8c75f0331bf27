import DuetHTTP
import DuetHTTPCaching
import Foundation
import Synchronization

/// A store whose size counts heads as JSON, which differ in length.
final class EncodingHTTPCacheStore: HTTPCacheStore {
    private let store: InMemoryHTTPCacheStore
    private let sizes = Mutex<[HTTPCacheEntry.ID: Int64]>([:])

    init(store: InMemoryHTTPCacheStore) {
        self.store = store
    }

    var isDurable: Bool { false }
    func entries(for key: HTTPCacheKey) -> [HTTPCacheEntry] { store.entries(for: key) }
    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) -> HTTPBody? { store.body(of: id, in: range) }
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) { store.update(id, to: response) }
    func markUsed(_ id: HTTPCacheEntry.ID) { store.markUsed(id) }
    func remove(_ ids: [HTTPCacheEntry.ID]) { store.remove(ids) }
    func removeAll(uri: String) { store.removeAll(uri: uri) }
    func removeAll(prefix: String) { store.removeAll(prefix: prefix) }
    func removeAll() { store.removeAll() }

    func writer(for key: HTTPCacheKey, length: Int64?) -> any HTTPCacheWriter {
        Writer(writer: store.writer(for: key, length: length), store: self)
    }

    func size() -> Int64 {
        sizes.withLock { sizes in
            sizes.filter { store.body(of: $0.key, in: nil) != nil }.values.reduce(0, +)
        }
    }

    private struct Writer: HTTPCacheWriter {
        let writer: any HTTPCacheWriter
        let store: EncodingHTTPCacheStore

        func append(_ piece: Data) async throws -> Bool { try await writer.append(piece) }
        func discard() async { await writer.discard() }

        func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
            let head = try JSONEncoder().encode(response)
            let entry = try await writer.commit(response, replacing: ids)
            if let entry {
                let size = Int64(head.count + response.content.range.count)
                store.sizes.withLock { $0[entry.id] = size }
            }
            return entry
        }
    }
}

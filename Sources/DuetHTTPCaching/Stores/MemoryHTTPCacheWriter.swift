import Foundation
import Synchronization

/// Collects one body in memory.
final class MemoryHTTPCacheWriter: HTTPCacheWriter {
    /// Takes a response with its body, which is nil when it is larger than the store.
    typealias Insert = @Sendable (StoredResponse, Data?, [HTTPCacheEntry.ID]) -> HTTPCacheEntry?

    private let limit: Int64
    private let insert: Insert
    /// Nil when more came than the store can hold.
    private let bytes = Mutex<Data?>(Data())

    init(limit: Int64, insert: @escaping Insert) {
        self.limit = limit
        self.insert = insert
    }

    func append(_ piece: Data) {
        bytes.withLock { bytes in
            guard let count = bytes?.count else { return }
            if Int64(count + piece.count) <= limit { bytes?.append(piece) } else { bytes = nil }
        }
    }

    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) -> HTTPCacheEntry? {
        insert(response, bytes.withLock { $0.take() }, ids)
    }

    func discard() {
        bytes.withLock { $0 = nil }
    }
}

import Foundation
import Synchronization

/// Collects one body in memory.
final class MemoryHTTPCacheWriter: HTTPCacheWriter {
    typealias Insert =
        @Sendable (HTTPCacheKey, StoredResponse, Data, [HTTPCacheEntry.ID]) -> HTTPCacheEntry??

    private let key: HTTPCacheKey
    private let limit: Int64
    private let insert: Insert
    /// Nil when more came than the store can hold, or when it was let go of.
    private let bytes = Mutex<Data?>(Data())

    init(key: HTTPCacheKey, limit: Int64, insert: @escaping Insert) {
        self.key = key
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
        let body = bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
        return body.flatMap { insert(key, response, $0, ids) ?? nil }
    }

    func discard() {
        bytes.withLock { $0 = nil }
    }
}

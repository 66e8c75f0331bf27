import Foundation
import Synchronization

/// Collects one body in memory, for which the store reserves room.
final class InMemoryHTTPCacheWriter: HTTPCacheWriter {
    /// Takes a response with its body and the reserved room; the body is nil if there was no room.
    typealias Insert = @Sendable (StoredResponse, Data?, [HTTPCacheEntry.ID]) -> HTTPCacheEntry?

    private let limit: Int64
    private let reserve: @Sendable (Int64) -> Bool
    private let release: @Sendable (Int64) -> Void
    private let insert: Insert
    /// Nil if there was no room for more.
    private let bytes: Mutex<Data?>

    init(
        limit: Int64,
        length: Int64?,
        reserve: @escaping @Sendable (Int64) -> Bool,
        release: @escaping @Sendable (Int64) -> Void,
        insert: @escaping Insert
    ) {
        self.limit = limit
        bytes = Mutex(length ?? 0 <= limit ? Data() : nil)
        self.reserve = reserve
        self.release = release
        self.insert = insert
    }

    deinit {
        discard()
    }

    func append(_ piece: Data) -> Bool {
        let hasRoom = bytes.withLock { bytes in
            guard let count = bytes?.count, Int64(count + piece.count) <= limit, reserve(Int64(piece.count)) else {
                return false
            }
            bytes?.append(piece)
            return true
        }
        if !hasRoom { discard() }
        return hasRoom
    }

    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) -> HTTPCacheEntry? {
        insert(response, bytes.withLock { $0.take() }, ids)
    }

    func discard() {
        guard let count = bytes.withLock({ $0.take() })?.count, count > 0 else { return }
        release(Int64(count))
    }
}

public import DuetHTTP
import Foundation
import Synchronization

/// Keeps responses in memory, as many as fit into so many bytes.
///
/// What is being stored takes room as well, from the first byte, and up to half of all: what was used longest ago goes for it. A body
/// that has gone from the store stays in memory, uncounted, for as long as somebody is reading it.
public final class InMemoryHTTPCacheStore: HTTPCacheStore {
    private let capacity: StoreCapacity
    private let contents: Mutex<InMemoryContents>

    /// How many bytes one response takes at most: a quarter of the capacity.
    public var largestResponse: Int64? { capacity.largestResponse }

    /// Makes a store.
    ///
    /// - Parameter capacity: For how many bytes of bodies and heads: 64 MiB unless told otherwise. One response takes at most a
    ///   quarter: a larger one is not stored, and is given up as soon as that is known. With 0 or less it stores nothing.
    public init(capacity: Int64 = 64 * 1024 * 1024) {
        self.capacity = StoreCapacity(capacity)
        contents = Mutex(InMemoryContents(capacity: self.capacity))
    }

    /// False: nothing outlives the process.
    public var isDurable: Bool { false }

    /// The responses that are stored under a key; of several, the one that was stored last comes first.
    public func entries(for key: HTTPCacheKey) -> [HTTPCacheEntry] {
        contents.withLock { $0.entries(for: key) }
    }

    /// The stored bytes of an entry, or nil when it is gone.
    public func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) -> HTTPBody? {
        contents.withLock { $0.body(of: id) }.map { HTTPBody($0.slice(range)) }
    }

    /// Begins to store a response under a key.
    public func writer(for key: HTTPCacheKey, length: Int64? = nil) -> any HTTPCacheWriter {
        InMemoryHTTPCacheWriter(limit: capacity.largestResponse, length: length) { count in
            self.contents.withLock { $0.reserve(count) }
        } release: { count in
            self.contents.withLock { $0.release(count) }
        } insert: { response, body, ids in
            self.contents.withLock { contents in
                contents.release(Int64(body?.count ?? 0))
                return contents.insert(response, body, for: key, replacing: ids)
            }
        }
    }

    /// Puts another head in place of an entry's, and counts that as a use.
    public func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) {
        contents.withLock { $0.update(id, to: response) }
    }

    /// Takes note that an entry was used.
    public func markUsed(_ id: HTTPCacheEntry.ID) {
        contents.withLock { $0.markUsed(id) }
    }

    /// Removes entries, as far as they are there.
    public func remove(_ ids: [HTTPCacheEntry.ID]) {
        contents.withLock { contents in ids.forEach { contents.remove($0) } }
    }

    /// Removes all that is stored for a URI, in all partitions.
    public func removeAll(uri: String) {
        contents.withLock { $0.removeAll(uri: HashedURI(uri)) }
    }

    /// Removes all that is stored for URIs that begin with a text, in all partitions.
    public func removeAll(prefix: String) {
        contents.withLock { $0.removeAll(prefix: prefix) }
    }

    /// Removes everything.
    public func removeAll() {
        contents.withLock { $0.removeAll() }
    }

    /// How many bytes the stored bodies and heads take.
    public func size() -> Int64 {
        contents.withLock(\.size)
    }
}

extension Data {
    fileprivate func slice(_ range: Range<Int64>?) -> Data {
        guard let range else { return self }
        return prefix(Int(clamping: range.upperBound)).dropFirst(Int(clamping: range.lowerBound))
    }
}

public import DuetHTTP
import Foundation
import Synchronization

/// A store in memory that is bounded by bytes.
///
/// Responses being written count against the capacity, at most half of it, and displace the least recently used ones. A
/// removed body stays in memory while it is being read, and is not counted.
public final class InMemoryHTTPCacheStore: HTTPCacheStore {
    private let capacity: StoreCapacity
    private let contents: Mutex<InMemoryContents>

    /// The size of the largest response: a quarter of the capacity.
    public var largestResponse: Int64? { capacity.largestResponse }

    /// Creates a store.
    ///
    /// - Parameter capacity: The number of bytes for bodies and heads: 64 MiB by default. A response that is larger
    ///   than a quarter of it is not stored. With 0 or less nothing is stored.
    public init(capacity: Int64 = 64 * 1024 * 1024) {
        self.capacity = StoreCapacity(capacity)
        contents = Mutex(InMemoryContents(capacity: self.capacity))
    }

    /// False.
    public var isDurable: Bool { false }

    /// Returns the responses under a key, the one that was stored last first.
    public func entries(for key: HTTPCacheKey) -> [HTTPCacheEntry] {
        contents.withLock { $0.entries(for: key) }
    }

    /// Returns the stored body of an entry, or the stored bytes of a range.
    public func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) -> HTTPBody? {
        contents.withLock { $0.body(of: id) }.map { HTTPBody($0.slice(range)) }
    }

    /// Begins to store a response.
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

    /// Replaces the head of an entry, which counts as a use.
    public func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) {
        contents.withLock { $0.update(id, to: response) }
    }

    /// Records the use of an entry.
    public func markUsed(_ id: HTTPCacheEntry.ID) {
        contents.withLock { $0.markUsed(id) }
    }

    /// Removes entries, as far as they exist.
    public func remove(_ ids: [HTTPCacheEntry.ID]) {
        contents.withLock { contents in ids.forEach { contents.remove($0) } }
    }

    /// Removes the responses to a URI in all partitions.
    public func removeAll(uri: String) {
        contents.withLock { $0.removeAll(uri: HashedURI(uri)) }
    }

    /// Removes the responses to all URIs with a prefix, in all partitions.
    public func removeAll(prefix: String) {
        contents.withLock { $0.removeAll(prefix: prefix) }
    }

    /// Removes everything.
    public func removeAll() {
        contents.withLock { $0.removeAll() }
    }

    /// The number of bytes that the stored bodies and heads take.
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

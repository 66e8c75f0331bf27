public import DuetHTTP
import Foundation
import Synchronization

/// A store that keeps responses in memory, up to a number of bytes.
///
/// Responses being written take up to half of the capacity, and evict the least recently used ones. A removed body
/// stays in memory while it is being read, and is not counted.
///
/// ```swift
/// let store = InMemoryHTTPCacheStore(capacity: 8_000_000)
/// ```
public final class InMemoryHTTPCacheStore: HTTPCacheStore {
    private let capacity: StoreCapacity
    private let contents: Mutex<InMemoryContents>

    /// The size of the largest response: a quarter of the capacity.
    public var largestResponse: Int64? { capacity.largestResponse }

    /// Creates a store.
    ///
    /// - Parameter capacity: The number of bytes for bodies and heads; 64 MiB by default. A response that is larger
    ///   than a quarter of it is not stored. With 0 or less, nothing is stored.
    public init(capacity: Int64 = 64 * 1024 * 1024) {
        self.capacity = StoreCapacity(capacity)
        contents = Mutex(InMemoryContents(capacity: self.capacity))
    }

    /// False, because stored responses end with the process.
    public var isDurable: Bool { false }

    /// Returns the responses under a key, beginning with the one that was stored last.
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

    /// Removes all responses.
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

/// Collects one body in memory, for which the store reserves room piece by piece.
final class InMemoryHTTPCacheWriter: HTTPCacheWriter {
    /// Takes a response with its body and the reserved room; the body is nil if there was no room.
    typealias Insert = @Sendable (StoredResponse, Data?, [HTTPCacheEntry.ID]) -> HTTPCacheEntry?

    private let limit: Int64
    private let reserve: @Sendable (Int64) -> Bool
    private let release: @Sendable (Int64) -> Void
    private let insert: Insert
    /// Nil if there was no room, or after the end.
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

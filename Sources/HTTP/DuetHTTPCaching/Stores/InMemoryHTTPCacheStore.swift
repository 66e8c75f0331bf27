import DuetHTTP
import Synchronization

/// A store that keeps responses in memory, up to a number of bytes, without the least recently used ones.
///
/// ```swift
/// let store = InMemoryHTTPCacheStore(capacity: 8_000_000)
/// ```
public final class InMemoryHTTPCacheStore: HTTPCacheStore {
    private let contents: Mutex<InMemoryContents>

    /// Creates a store.
    ///
    /// - Parameter capacity: The number of bytes for bodies and heads; 64 MiB by default. A response that is larger
    ///   than a quarter of it is not stored, because it would displace too many others. With 0 or less, nothing is
    ///   stored.
    public init(capacity: Int64 = 64 * 1024 * 1024) {
        contents = Mutex(InMemoryContents(capacity: capacity))
    }

    /// False, because stored responses end with the process.
    public var isDurable: Bool { false }

    /// The number of bytes that the stored bodies and heads take.
    package var size: Int64 { contents.withLock(\.size) }

    /// Returns the responses under a key, beginning with the one that was stored last, which counts as a use.
    public func responses(for key: HTTPCacheKey) -> [StoredResponse] {
        contents.withLock { $0.responses(for: key) }
    }

    /// Stores a response under a key, and removes the responses that it replaces.
    ///
    /// - Returns: False if the response is larger than a quarter of the capacity.
    public func insert(_ response: StoredResponse, for key: HTTPCacheKey, replacing ids: [StoredResponse.ID]) -> Bool {
        contents.withLock { $0.insert(response, for: key, replacing: ids) }
    }

    /// Removes some responses, as far as they exist.
    public func remove(_ removal: HTTPCacheRemoval) {
        contents.withLock { contents in
            switch removal {
            case .responses(let ids, _): ids.forEach { contents.remove($0) }
            case .uri(let uri): contents.removeAll(uri: HashedURI(uri))
            case .prefix(let prefix): contents.removeAll(prefix: prefix)
            }
        }
    }

    /// Removes all responses.
    public func removeAll() {
        contents.withLock { $0 = InMemoryContents(capacity: $0.capacity) }
    }
}

private struct InMemoryContents {
    let capacity: Int64
    private(set) var size: Int64 = 0
    /// Responses by URI and partition, the last one first.
    private var responses: [HashedURI: [String: [StoredResponse]]] = [:]
    private var keys: [StoredResponse.ID: HTTPCacheKey] = [:]
    private var order = UseOrder<StoredResponse.ID>()

    init(capacity: Int64) {
        self.capacity = capacity
    }

    mutating func responses(for key: HTTPCacheKey) -> [StoredResponse] {
        guard let found = responses[key.hashedURI]?[key.partition] else { return [] }
        for response in found.reversed() { order.use(response.id) }
        return found
    }

    mutating func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) -> Bool {
        ids.forEach { remove($0) }
        let size = response.size + key.size
        guard size <= capacity / 4 else { return false }
        responses[key.hashedURI, default: [:]][key.partition, default: []].insert(response, at: 0)
        keys[response.id] = key
        order.use(response.id)
        self.size += size
        while self.size > capacity, let oldest = order.first { remove(oldest) }
        return true
    }

    mutating func remove(_ id: StoredResponse.ID) {
        guard let key = keys.removeValue(forKey: id), var partitions = responses.removeValue(forKey: key.hashedURI)
        else { return }
        order.remove(id)
        var others = partitions.removeValue(forKey: key.partition) ?? []
        if let index = others.firstIndex(where: { $0.id == id }) { size -= others.remove(at: index).size + key.size }
        if !others.isEmpty { partitions[key.partition] = others }
        if !partitions.isEmpty { responses[key.hashedURI] = partitions }
    }

    mutating func removeAll(uri: HashedURI) {
        for response in (responses[uri] ?? [:]).values.joined() { remove(response.id) }
    }

    mutating func removeAll(prefix: String) {
        for uri in responses.keys where uri.text.utf8.starts(with: prefix.utf8) { removeAll(uri: uri) }
    }
}

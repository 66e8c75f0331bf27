public import Foundation
import Synchronization

/// A store in the memory of this process, for tests and for caches that share values.
public final class InMemoryCacheStore: CacheStore {
    private let values = Mutex<[CacheKey: StoredValue]>([:])

    /// Creates an empty store without a limit.
    public init() {}

    /// The number of values.
    public var count: Int { values.withLock(\.count) }

    /// Returns the value that is stored under a key, or nil.
    public func value(for key: CacheKey) async -> StoredValue? { values.withLock { $0[key] } }

    /// Stores a value in place of any other value of the key.
    public func insert(_ value: StoredValue, for key: CacheKey) async { values.withLock { $0[key] = value } }

    /// Returns all keys of a query.
    public func keys(ofQuery name: String) async -> [CacheKey] {
        values.withLock { $0.keys.filter { $0.query == name } }
    }

    /// Removes the values of keys.
    public func remove(_ keys: [CacheKey]) async {
        values.withLock { values in for key in keys { values[key] = nil } }
    }

    /// Removes all values of a query.
    public func removeAll(ofQuery name: String) async { keep { key, _ in key.query != name } }

    /// Removes all values with a tag.
    public func removeAll(tagged tag: String) async { keep { _, value in !value.tags.contains(tag) } }

    /// Removes values that can no longer be served.
    public func removeExpired(at date: Date) async { keep { _, value in value.usableUntil.map { $0 > date } ?? true } }

    /// Removes all values.
    public func removeAll() async { keep { _, _ in false } }

    private func keep(_ isKept: (CacheKey, StoredValue) -> Bool) {
        values.withLock { $0 = $0.filter { isKept($0.key, $0.value) } }
    }
}

public import Foundation
import Synchronization

/// A store in the memory of this process, for tests and for caches that share values.
public final class InMemoryCacheStore: CacheStore {
    private struct State {
        var values: [CacheKey: StoredValue] = [:]
        var stamps = Stamps()

        mutating func mark(_ keys: some Sequence<CacheKey>) {
            for key in keys { values[key] = values[key]?.kept(isStale: true) }
        }
    }

    private let state = Mutex(State())

    /// Creates an empty store without a limit.
    public init() {}

    /// The identity of this object.
    public var location: String? { "\(ObjectIdentifier(self))" }

    /// The number of values.
    public var count: Int { state.withLock(\.values.count) }

    /// Returns the value of a key, or nil.
    public func value(for key: CacheKey) async -> StoredValue? { state.withLock { $0.values[key] } }

    /// Stores a value under a key.
    public func insert(_ value: StoredValue, for key: CacheKey) async {
        state.withLock { state in
            if let stamp = value.stamp, stamp < state.stamps.lastRemoval { return }
            let isOld = value.stamp.map { $0 != state.stamps.stamp(for: value.writer) } ?? false
            state.values[key] = value.kept(isStale: value.isStale || isOld)
        }
    }

    /// Returns the stamp for a writer.
    public func stamp(for writer: UUID) async -> Int64 { state.withLock { $0.stamps.stamp(for: writer) } }

    /// Marks values as stale, or removes those that are useless then.
    public func markStale(_ values: StoredValues, by writer: UUID) async {
        state.withLock { state in
            state.stamps.change(by: writer)
            switch values {
            case .keys(let keys): state.mark(keys)
            case .query(let name, let condition):
                state.mark(state.values.keys.filter { $0.query == name && condition($0) })
            case .tag(let tag): state.mark(state.values.filter { $0.value.tags.contains(tag) }.keys)
            case .everything: state.mark(state.values.keys)
            }
        }
    }

    /// Changes the bytes of stale values of a query.
    public func updateStale(query name: String, _ change: @Sendable (CacheKey, Data) -> Data?) async {
        state.withLock { state in
            for (key, value) in state.values where key.query == name && value.isStale {
                if let bytes = change(key, value.bytes) { state.values[key]?.bytes = bytes }
            }
        }
    }

    /// Removes the values of keys.
    public func remove(_ keys: [CacheKey]) async {
        state.withLock { state in for key in keys { state.values[key] = nil } }
    }

    /// Removes values that can no longer be served.
    public func removeExpired(at date: Date) async {
        state.withLock { $0.values = $0.values.filter { $0.value.usableUntil.map { $0 > date } ?? true } }
    }

    /// Removes all values.
    public func removeAll() async {
        state.withLock { state in
            state.values = [:]
            state.stamps.change(by: nil)
        }
    }
}

/// The numbers of the last changes by different writers.
private struct Stamps {
    private var writer: UUID?
    private var last: Int64 = 0
    /// The last change by a writer other than the last one.
    private var lastOfOthers: Int64 = 0
    /// The last change that counts for all writers.
    private(set) var lastRemoval: Int64 = 0

    func stamp(for writer: UUID) -> Int64 { writer == self.writer ? lastOfOthers : last }

    /// - Parameter writer: Nil for a change that counts for all writers.
    mutating func change(by writer: UUID?) {
        if writer == nil || writer != self.writer { lastOfOthers = last }
        self.writer = writer
        last += 1
        if writer == nil { lastRemoval = last }
    }
}

extension StoredValue {
    /// The value as a store keeps it; nil for one that is useless when it is stale.
    fileprivate func kept(isStale: Bool) -> StoredValue? {
        guard !isStale || isKeptWhenStale else { return nil }
        var value = self
        (value.isStale, value.stamp) = (isStale, nil)
        return value
    }
}

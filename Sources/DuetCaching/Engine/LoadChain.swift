import Duet

/// The load of a cached query that the current task works for.
///
/// A handler that changes state elsewhere, for example in its own database, can see whether its result is still wanted:
///
/// ```swift
/// let load = CacheLoad.current
/// let items = try await download()
/// try await store.transaction { transaction in
///     guard load?.isInvalidated != true else { return }
///     try transaction.replace(items)
/// }
/// ```
///
/// The rules of a command apply after it. A command that deletes such state itself therefore calls
/// ``QueryCache/invalidate(_:)`` within its own transaction, so that a load saves before the deletion or not at all.
public struct CacheLoad: Sendable {
    private let chain: LoadChain

    /// The innermost load; nil outside of a cache.
    public static var current: CacheLoad? { LoadChain.current.map { CacheLoad(chain: $0) } }

    /// Whether an invalidation has concerned the value since its load began, so that it will not be stored.
    public var isInvalidated: Bool { chain.isInvalidated() }
}

/// The loads that the current task works for, the innermost first.
final class LoadChain: Sendable {
    @TaskLocal static var current: LoadChain?

    let isInvalidated: @Sendable () -> Bool
    private let line: ObjectIdentifier
    private let key: any Sendable
    private let outer: LoadChain?

    init<Q>(_ line: Line<Q>, _ key: ScopedQuery<Q>, outer: LoadChain?, isInvalidated: @escaping @Sendable () -> Bool) {
        self.line = ObjectIdentifier(line)
        self.key = key
        self.outer = outer
        self.isInvalidated = isInvalidated
    }

    func contains<Q>(_ line: Line<Q>, _ key: ScopedQuery<Q>) -> Bool {
        if self.line == ObjectIdentifier(line), self.key as? ScopedQuery<Q> == key { return true }
        return outer?.contains(line, key) ?? false
    }
}

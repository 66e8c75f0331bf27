import Duet

/// The load of a cached query for which the current task runs.
///
/// A handler that saves its value elsewhere, for example in a database, can check whether the value is still valid:
///
/// ```swift
/// func handle(_ query: LoadFeed) async throws -> [String] {
///     let load = CacheLoad.current
///     let items = try await download()
///     try await database.transaction { feed in
///         guard load?.isInvalidated != true else { return }
///         feed = items
///     }
///     return items
/// }
/// ```
///
/// The rules of a command apply after it. A command that deletes saved values therefore calls
/// ``QueryCache/invalidate(_:)`` within its own transaction. A load then saves before the deletion, or not at all.
public struct CacheLoad: Sendable {
    private let chain: LoadChain

    /// The innermost load; nil outside of a cache.
    public static var current: CacheLoad? { LoadChain.current.map { CacheLoad(chain: $0) } }

    /// Whether the value was invalidated since its load began, so that it will not be stored.
    public var isInvalidated: Bool { chain.isInvalidated() }
}

/// The loads for which the current task runs, the innermost first.
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

public import Duet
public import Foundation

/// A dispatcher that serves queries from a cache, and reports the changes of their values.
public struct CachingDispatcher: Dispatcher, WrappingDispatcher {
    /// The cache.
    public let cache: QueryCache

    package let base: any Dispatcher

    package func passage<Q: Query>(of query: Q.Type) -> ValuePassage { cache.passage(of: query) }

    init(_ base: any Dispatcher, _ cache: QueryCache) {
        self.base = base
        self.cache = cache
        base.wrapped(QueueingDispatcher.self)?.queue.follow(cache)
        cache.track(base.trackedSources)
    }

    /// Serves a query from the cache, or dispatches a message and carries out its rules.
    ///
    /// - Throws: The error of the wrapped dispatcher, or ``CacheTimeout``.
    @inline(__always)
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await cache.dispatch(message, next: base)
    }

    /// Whether the query has a ``Cache`` rule, or the wrapped dispatcher reports its changes.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { cache.isLive(query, next: base) }

    /// Returns the value of a query and its changes; nil if they are not reported.
    public func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        cache.updates(of: query, next: base)
    }
}

extension Dispatcher {
    /// Returns this dispatcher behind a cache.
    public func caching(with cache: QueryCache) -> CachingDispatcher { CachingDispatcher(self, cache) }

    /// Returns this dispatcher behind a new cache.
    ///
    /// ```swift
    /// func makeNotes(_ server: NotesServer) throws -> CachingDispatcher {
    ///     try makeRemote(server).caching(in: .memory(limit: .entries(1_000))) {
    ///         Cache(ListNotes.self, .maxAge(.minutes(5)))
    ///         Invalidate(ListNotes.self, after: AddNote.self) { query, command in query.folder == command.folder }
    ///         Invalidate(everythingAfter: SignOut.self)
    ///     }
    /// }
    /// ```
    ///
    /// A sign-out also calls ``QueryCache/removeAll()``, as <doc:CacheReference#Sign-out> explains.
    ///
    /// - Parameters:
    ///   - memory: The memory and the store of the values.
    ///   - sources: The sources of the handlers' data. A write makes the values stale that were made from it.
    ///   - now: Returns the current date.
    ///   - clock: Measures timeouts and intervals.
    ///   - rules: The rules, one per line.
    /// - Throws: ``InvalidCacheRules`` with every fault.
    public func caching(
        in memory: CacheMemory,
        tracking sources: any TrackedSource...,
        now: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock(),
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule]
    ) throws(InvalidCacheRules) -> CachingDispatcher {
        let sources = sources + trackedSources
        return CachingDispatcher(self, try QueryCache(in: memory, tracking: sources, now: now, clock: clock, rules))
    }
}

public import Duet
public import Foundation

/// A dispatcher that serves queries from a cache, and reports the origin of a value and its changes.
public struct CachingDispatcher: Dispatcher {
    /// The cache.
    public let cache: QueryCache

    let base: any Dispatcher

    init(_ base: any Dispatcher, _ cache: QueryCache) {
        self.base = base
        self.cache = cache
        cache.startQueue(through: base)
    }

    /// Creates a dispatcher for a cache that is a layer in front of `next`.
    init(finding cache: QueryCache, before next: any Dispatcher) {
        base = next
        self.cache = cache
    }

    /// Serves a query from the cache, or dispatches a message and carries out its rules.
    ///
    /// - Throws: The error of the wrapped dispatcher, or ``CacheTimeout``.
    @inline(__always)
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await cache.dispatch(message, next: base)
    }

    /// Returns a query's value with its origin and age.
    ///
    /// A query without a ``Cache`` rule is always loaded.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - mode: How this read treats the cache.
    /// - Throws: The error of the wrapped dispatcher, ``NotCached``, ``UncachedQuery``, or ``CacheTimeout``.
    public func result<Q: Query & Hashable>(
        of query: Q,
        reading mode: ReadMode = .cacheFirst
    ) async throws -> CachedResult<Q.Value> where Q.Value: Sendable {
        guard let line = cache.line(of: Q.self) else {
            guard mode != .cacheOnly else { throw UncachedQuery(query: Q.messageName, type: "\(Q.self)") }
            return CachedResult(loaded: try await base.dispatch(query))
        }
        if mode != .cacheOnly, cache.core.barrier.isNeeded { try await cache.core.barrier.pass(for: Q.messageName) }
        return try await line.result(query, mode, from: base)
    }

    /// Returns the cached value, however old it is, and then the loaded value.
    ///
    /// The sequence ends after the loaded value, or fails if it cannot be loaded.
    public func cachedThenLoaded<Q: Query & Hashable>(
        _ query: Q
    ) -> AsyncThrowingStream<CachedResult<Q.Value>, any Error> where Q.Value: Sendable {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: CachedResult<Q.Value>.self)
        let task = Task {
            do {
                if let cached = try? await result(of: query, reading: .cacheOnly) { continuation.yield(cached) }
                continuation.yield(try await result(of: query, reading: .fresh))
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns the states of a query's value, first the current one, then one for each change.
    ///
    /// The value is loaded if it is missing or stale, and again after each invalidation. A slow reader skips to the
    /// newest state.
    ///
    /// A query without a ``Cache`` rule has one state, with the error ``UncachedQuery``.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - interval: The time after which the value is loaded repeatedly, at least a millisecond; nil for never.
    public func states<Q: Query & Hashable>(
        of query: Q,
        refreshingEvery interval: Duration? = nil
    ) -> QueryStates<Q.Value> where Q.Value: Sendable {
        guard let line = cache.line(of: Q.self) else {
            return QueryStates(failure: UncachedQuery(query: Q.messageName, type: "\(Q.self)"))
        }
        return QueryStates(line.watch(query, every: interval.map { max($0, .milliseconds(1)) }, from: base))
    }

    /// Returns the values of a query, first the current one, then each that differs from the one before.
    ///
    /// ```swift
    /// for try await notes in dispatcher.observe(ListNotes(folder: "home")) {
    ///     print("The screen shows \(notes).")
    ///     if notes.contains("Eggs") { break }
    ///     try await dispatcher.dispatch(AddNote(folder: "home", text: "Eggs"))
    /// }
    /// ```
    ///
    /// The sequence fails if no first value can be loaded. Later failures leave the last value, and
    /// ``states(of:refreshingEvery:)`` reports them. A query without a ``Cache`` rule fails with ``UncachedQuery``.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - interval: The time after which the value is loaded repeatedly, at least a millisecond; nil for never.
    public func observe<Q: Query & Hashable>(
        _ query: Q,
        refreshingEvery interval: Duration? = nil
    ) -> QueryValues<Q.Value> where Q.Value: Sendable {
        QueryValues(states(of: query, refreshingEvery: interval))
    }
}

extension CachingDispatcher: LiveDispatcher {
    /// Whether the query has a ``Cache`` rule.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { cache.isLive(query) }

    /// Returns the value of a query and its changes, for a server that reports them; nil for a query without a
    /// ``Cache`` rule.
    public func updates<Q: Query>(of query: Q) -> QueryUpdates<Q.Value>? where Q.Value: Sendable {
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
    /// - Parameters:
    ///   - memory: The memory and the store of the values.
    ///   - queue: The queue of the commands with an ``Enqueue`` rule.
    ///   - now: Returns the current date.
    ///   - clock: Measures timeouts and intervals.
    ///   - rules: The rules, one per line.
    /// - Throws: ``InvalidCacheRules`` with every fault.
    public func caching(
        in memory: CacheMemory,
        queue: CommandQueue? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock(),
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule]
    ) throws(InvalidCacheRules) -> CachingDispatcher {
        CachingDispatcher(self, try QueryCache(in: memory, queue: queue, now: now, clock: clock, rules))
    }
}

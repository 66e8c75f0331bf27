import Synchronization

extension Dispatcher {
    /// Returns a query's value with its origin and its age.
    ///
    /// ```swift
    /// let notes = try await dispatcher.read(ListNotes(folder: "home"), .freshOrStale)
    /// print(notes.value, notes.isStale ? "from \(notes.age) ago" : "")
    /// ```
    ///
    /// This is a dispatch, which every layer sees. The outermost cache of the query applies the mode. Without one, the
    /// value is loaded, and a read with ``ReadMode/cacheOnly`` fails.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - mode: How this read treats the cache.
    /// - Throws: The error of the dispatch, or ``NotCached``.
    public func read<Q: Query>(
        _ query: Q,
        _ mode: ReadMode = .cacheFirst
    ) async throws -> ReadResult<Q.Value> where Q.Value: Sendable {
        let reading = Reading(of: Q.self, mode)
        let value = try await reading.run { try await dispatch(query) }
        return try reading.result(of: value, Q.messageName)
    }

    /// Dispatches a query, and returns its value with the version of the cache that it comes from.
    ///
    /// - Parameters:
    ///   - mode: How this read treats the caches.
    ///   - required: The versions that the value must have, for a dispatcher that can wait for them.
    ///   - needsServer: Whether caches on the way that do not know of commands must ask their server.
    package func versioned<Q: Query>(
        _ query: Q,
        _ mode: ReadMode = .cacheFirst,
        requiring required: [CacheVersion] = [],
        needsServer: Bool = false
    ) async throws -> (value: Q.Value, version: CacheVersion?) {
        let reading = Reading(of: Q.self, mode, requiring: required, needsServer: needsServer)
        let value = try await reading.run { try await dispatch(query) }
        return (value, reading.version)
    }

    /// Dispatches a query, and returns its value with its version, and the cached value if nothing on the way has
    /// changed it.
    package func served<Q: Query>(
        _ query: Q
    ) async throws -> (value: Q.Value, version: CacheVersion?, kept: KeptValue?) {
        let reading = Reading(of: Q.self, .cacheFirst)
        let value = try await reading.run { try await dispatch(query) }
        return (value, reading.version, reading.kept.flatMap { keepsValues(of: Q.self) ? $0 : nil })
    }
}

/// One read of a query, for the cache that applies its mode.
package final class Reading: Sendable {
    @TaskLocal private static var running: Reading?
    /// The number of reads that are running, so that a dispatch usually need not look for one.
    private static let count = Atomic(0)

    package let mode: ReadMode

    package let required: [CacheVersion]

    package let needsServer: Bool

    private struct State {
        var isTaken = false
        /// Whether the query was dispatched again, so that the value may be another one.
        var isRepeated = false
        var result: ReadResult<Void>?
        var version: CacheVersion?
        var kept: KeptValue?
    }

    private let query: ObjectIdentifier
    private let state = Mutex(State())

    fileprivate init<Q: Query>(
        of query: Q.Type,
        _ mode: ReadMode,
        requiring required: [CacheVersion] = [],
        needsServer: Bool = false
    ) {
        self.required = required
        self.needsServer = needsServer
        self.query = ObjectIdentifier(query)
        self.mode = mode
    }

    /// Takes the read of a query that runs in this task; nil without one, and if another cache has taken it.
    @inline(__always)
    package static func take<M: Message>(of message: M) -> Reading? {
        current(of: M.self)?.taken
    }

    /// The read of a query that runs in this task, also one that a cache has taken; nil without one.
    @inline(__always)
    package static func current<M: Message>(of message: M.Type) -> Reading? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return running?.ifReads(ObjectIdentifier(message))
    }

    private func ifReads(_ query: ObjectIdentifier) -> Reading? { query == self.query ? self : nil }

    private var taken: Reading? {
        state.withLock { state in
            guard !state.isTaken else {
                state.isRepeated = true
                return nil
            }
            state.isTaken = true
            return self
        }
    }

    /// The version of the outermost cache that has handled the query; nil if none has.
    package var version: CacheVersion? { state.withLock(\.version) }

    /// The cached value that the outermost cache of the query has returned; nil if it keeps none.
    fileprivate var kept: KeptValue? { state.withLock { $0.isRepeated ? nil : $0.kept } }

    /// Notes the version that a value has in a cache, or at a server.
    ///
    /// Of the versions of one cache, the lowest counts, because the value may have been made from several.
    package func note(_ version: CacheVersion?) {
        state.withLock { if $0.version?.isOlder(than: version) != true { $0.version = version } }
    }

    /// Reads in a cache, and notes what it returned.
    ///
    /// After an error, a retry outside of the cache reads in the same mode.
    package func read<Value>(_ load: () async throws -> ReadResult<Value>) async throws -> Value {
        do {
            let result = try await load()
            state.withLock { state in
                state.result = result.with(())
                state.version = result.version ?? state.version
                state.kept = result.kept
            }
            return result.value
        } catch {
            state.withLock { $0.isTaken = false }
            throw error
        }
    }

    fileprivate func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        Self.count.add(1, ordering: .relaxed)
        defer { Self.count.subtract(1, ordering: .relaxed) }
        return try await Self.$running.withValue(self, operation: operation)
    }

    fileprivate func result<Value>(
        of value: Value,
        _ query: @autoclosure () -> String
    ) throws(NotCached) -> ReadResult<Value> {
        if let result = state.withLock(\.result) { return result.with(value) }
        guard mode.kind != .cacheOnly else { throw NotCached(query: query()) }
        return ReadResult(value: value)
    }
}

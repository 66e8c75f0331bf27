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
}

/// One read of a query, for the cache that applies its mode.
package final class Reading: Sendable {
    @TaskLocal private static var running: Reading?
    /// The number of reads that are running, so that a dispatch usually need not look for one.
    private static let count = Atomic(0)

    package let mode: ReadMode
    private let query: ObjectIdentifier
    private let state = Mutex((isTaken: false, result: ReadResult<Void>?.none))

    fileprivate init<Q: Query>(of query: Q.Type, _ mode: ReadMode) {
        self.query = ObjectIdentifier(query)
        self.mode = mode
    }

    /// Takes the read of a query that runs in this task; nil without one, and if another cache has taken it.
    @inline(__always)
    package static func take<M: Message>(of message: M) -> Reading? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return running?.taken(by: ObjectIdentifier(M.self))
    }

    private func taken(by query: ObjectIdentifier) -> Reading? {
        guard query == self.query else { return nil }
        return state.withLock { state in
            guard !state.isTaken else { return nil }
            state.isTaken = true
            return self
        }
    }

    /// Reads in a cache, and notes what it returned.
    ///
    /// After an error, a retry outside of the cache reads in the same mode.
    package func read<Value>(_ load: () async throws -> ReadResult<Value>) async throws -> Value {
        do {
            let result = try await load()
            state.withLock { $0.result = result.with(()) }
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

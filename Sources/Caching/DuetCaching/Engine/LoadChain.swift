import Duet
import Synchronization

/// The loads for which the current task runs, the innermost first.
final class LoadChain: Sendable {
    @TaskLocal static var current: LoadChain?

    let isInvalidated: @Sendable () -> Bool
    private let invalidate: @Sendable () -> Void
    let name: String
    let load: ObjectIdentifier
    private let query: ObjectIdentifier
    private let key: any Sendable
    private let outer: LoadChain?
    private let causes: LoadCauses
    /// Whether the handler has dispatched its own query.
    private let isRepeated: Bool
    private let selfInvalidation = Mutex<CacheCycle?>(nil)
    private let stale = Mutex<StaleValue?>(nil)

    init<Q>(
        _ query: CachedQuery<Q>,
        _ key: ScopedQuery<Q>,
        _ load: AnyObject,
        outer: LoadChain?,
        causes: LoadCauses,
        isInvalidated: @escaping @Sendable () -> Bool,
        invalidate: @escaping @Sendable () -> Void
    ) {
        name = query.name
        self.load = ObjectIdentifier(load)
        self.query = ObjectIdentifier(query)
        self.key = key
        self.outer = outer
        self.causes = causes
        isRepeated = false
        self.isInvalidated = isInvalidated
        self.invalidate = invalidate
    }

    private init(repeating chain: LoadChain) {
        name = chain.name
        load = chain.load
        query = chain.query
        key = chain.key
        outer = chain
        causes = chain.causes
        isRepeated = true
        isInvalidated = chain.isInvalidated
        invalidate = chain.invalidate
    }

    /// What causes a load that the current task brings about by a command.
    var causesOfNext: LoadCauses {
        let causes = outer?.causesOfNext ?? causes
        return isRepeated ? causes : causes.appending(name, query, key)
    }

    /// The error of a load that has invalidated itself.
    var cycle: CacheCycle? { selfInvalidation.withLock(\.self) }

    func contains<Q>(_ query: CachedQuery<Q>, _ key: ScopedQuery<Q>) -> Bool { path(to: query, key) != nil }

    /// The names of the queries from the load of a key on, the outermost first; nil if there is none.
    private func path<Q>(to query: CachedQuery<Q>, _ key: ScopedQuery<Q>) -> [String]? {
        if self.query == ObjectIdentifier(query), self.key as? ScopedQuery<Q> == key { return [name] }
        return outer?.path(to: query, key).map { $0 + [name] }
    }

    /// Passes the own query of the innermost load to the handler, once.
    ///
    /// - Throws: ``CacheCycle`` the next time, and for the query of another load.
    func passing<Q>(
        _ query: CachedQuery<Q>,
        _ key: ScopedQuery<Q>,
        to handler: () async throws -> Q.Value
    ) async throws -> Q.Value {
        let path = path(to: query, key) ?? []
        guard path.count == 1, !isRepeated else {
            throw CacheCycle(messages: path + [query.name])
        }
        return try await LoadChain.$current.withValue(LoadChain(repeating: self)) { try await handler() }
    }

    /// Waits for a load, and returns whether its value is fresh.
    typealias Renewal = @Sendable () async -> Bool

    /// A stale value that a handler has received for another query, so that its own value is not fresh.
    struct StaleValue {
        /// The error that the stale value replaced.
        let error: (any Error)?
        /// Waits for the load that renews the stale value, and returns whether it succeeded; nil if there is none.
        let renewal: Renewal?
    }

    /// The stale value that the handler has received; nil for none.
    var staleValue: StaleValue? { stale.withLock(\.self) }

    /// Notes that the handler of the innermost load has received a stale value.
    ///
    /// - Parameters:
    ///   - error: The error that the value replaced, or of its load, which has invalidated itself.
    ///   - isOutdated: Whether an invalidation concerned the load of that value, so that it concerns this one.
    ///   - renewal: ``StaleValue/renewal``.
    func noteStaleValue(_ error: (any Error)?, isOutdated: Bool = false, renewal: Renewal? = nil) {
        if let cycle = error as? CacheCycle { selfInvalidation.withLock { $0 = $0 ?? cycle } }
        if isOutdated { invalidate() }
        stale.withLock { $0 = StaleValue(error: $0?.error ?? error, renewal: renewal ?? $0?.renewal) }
        if isRepeated { outer?.noteStaleValue(error, isOutdated: isOutdated, renewal: renewal) }
    }

    /// The loads that nothing has invalidated.
    var validLoads: [LoadChain] { (isInvalidated() ? [] : [self]) + (outer?.validLoads ?? []) }

    /// Notes which loads an invalidation by the current task has concerned.
    ///
    /// - Parameters:
    ///   - command: The name of the command whose rules invalidated values; nil without one.
    ///   - valid: The ``validLoads`` before.
    ///   - inner: The names of the loads inside of this one.
    func noteInvalidation(by command: String?, of valid: [LoadChain], after inner: [String] = []) {
        if valid.contains(where: { $0 === self }), isInvalidated() {
            selfInvalidation.withLock { cycle in
                cycle = cycle ?? CacheCycle(messages: [name] + inner + (command.map { [$0] } ?? []) + [name])
            }
        }
        outer?.noteInvalidation(by: command, of: valid, after: [name] + inner)
    }
}

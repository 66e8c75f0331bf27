import Duet
import Foundation
import Synchronization

/// The cached values of one query and their loads.
final class Line<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    typealias Value = Q.Value

    let rule: Cache<Q>
    /// The position of this query among the cached queries.
    let index: Int
    let core: CacheCore
    let entries = Entries<Q>()
    let limits: FreshnessLimits
    private let isShared: Bool
    /// The last invalidation of all values of this query.
    let all = Invalidated()
    let statistics = LineCounters()
    /// Orders stores, invalidations and the beginnings of loads.
    let state = Mutex(State())

    struct State: Sendable {
        var loads: [ScopedQuery<Q>: Load<ReadResult<Value>>] = [:]
        var lastLoad = 0
        /// Loads that were replaced, and go on for observers: invalidations may come faster than loads end.
        var outdated: [ScopedQuery<Q>: Load<ReadResult<Value>>] = [:]
        var watches: [ScopedQuery<Q>: Watch<Value>] = [:]
        /// The changes of running commands, in the order of their dispatch.
        var updates: [RunningUpdate<Q>] = []
        var lastUpdate = 0
        /// The number of changes of successful commands.
        var confirmations = 0
        var failures: [ScopedQuery<Q>: Failure] = [:]
        var followers: [ScopedQuery<Q>: Follower<Value>] = [:]
        /// The marks of values that the store may still have although a rule invalidated them.
        var marks: [StoredMark<Q>] = []
        var lastMark = 0
        /// The epoch before which values in the store are stale.
        var storeFloor: Epoch = 0
        /// The numbers of the insertions into the store and the reads from it that are running.
        var storeUses: Set<Int> = []
        var lastStoreUse = 0
    }

    var policy: CachePolicy<Value> { rule.policy }

    init(_ rule: Cache<Q>, index: Int, _ core: CacheCore) {
        self.rule = rule
        limits = rule.policy.limits
        isShared = rule.scope.isShared
        self.index = index
        self.core = core
    }

    deinit {
        for follower in state.withLock(\.followers).values { follower.task.cancel() }
    }
}

// MARK: Finding

extension Line {
    /// A cached value with its freshness.
    struct Found {
        let entry: Entry<Q>
        let freshness: Freshness
    }

    func isInvalidated(_ epoch: Epoch, _ tags: [Tag]) -> Bool {
        !all.isValid(epoch) || !core.everything.isValid(epoch)
            || !tags.isEmpty && tags.contains { !$0.invalidated.isValid(epoch) }
    }

    func isInvalidated(_ entry: Entry<Q>) -> Bool {
        entry.isInvalidatedByRule || isInvalidated(entry.epoch, entry.tags)
    }

    func find(_ query: Q, _ scope: String?, at now: Double) -> Found? {
        entries.entry(hash: ScopedQuery.hash(of: query, scope: scope), query: query, scope: scope)
            .map { found($0, at: now) }
    }

    func found(_ entry: Entry<Q>, at now: Double) -> Found {
        let isInvalidated = isInvalidated(entry)
        let dates = StoredDates(loaded: entry.loaded, expires: entry.expires)
        let freshness = limits.freshness(of: dates, lastUse: entry.lastUse, isInvalidated: isInvalidated, at: now)
        return Found(entry: entry, freshness: freshness)
    }

    /// Returns the entry of a fresh value, without loading or waiting.
    func hit(_ query: Q) -> AnyObject? {
        let now = core.seconds
        let scope = isShared ? nil : rule.scope.current
        let hash = ScopedQuery.hash(of: query, scope: scope)
        let shard = entries.shard(hash)
        guard let entry = entries.entry(hash: hash, query: query, scope: scope, in: shard),
            limits.isHit(loaded: entry.loaded, expires: entry.expires, lastUse: entry.lastUse, at: now),
            !isInvalidated(entry)
        else { return nil }
        noteUse(of: entry, at: now)
        shard.addHit()
        return entry
    }

    @inline(__always)
    private func noteUse(of entry: Entry<Q>, at now: Double) {
        if limits.idleTime < .infinity { entry.noteUse(at: now) }
        if entry.noteUse() { core.order.noteUse(of: entry) }
    }
}

// MARK: Reading

extension Line {
    /// Whether a query is equal to itself, and so would be found again; one with a NaN may not be.
    static func isCacheable(_ query: Q) -> Bool { query == query }

    func result(_ query: Q, _ mode: ReadMode.Kind, from next: some Dispatcher) async throws -> ReadResult<Value> {
        guard Self.isCacheable(query) else {
            statistics.add(.miss)
            guard mode != .cacheOnly else { throw NotCached(query: name) }
            return ReadResult(loaded: try await next.dispatch(query))
        }
        let key = ScopedQuery(query: query, scope: rule.scope.current)
        let now = core.seconds
        var found = find(query, key.scope, at: now)
        switch mode {
        case .cacheOnly:
            if found == nil { found = await promote(key) }
            guard let found else {
                statistics.add(.miss)
                throw NotCached(query: name)
            }
            return use(found, at: core.seconds)
        case .cacheFirst:
            if let found, found.freshness.isUsableWhileRevalidating {
                guard !found.freshness.isFresh || found.freshness.isDueForRefresh else { return use(found, at: now) }
                let renewal = refresh(key, for: .background, from: next)
                return use(found, at: now, renewal: renewal)
            }
        case .fresh, .freshOrStale: break
        }
        return try await load(key, mode, from: next)
    }

    func use(
        _ found: Found,
        at now: Double,
        after error: (any Error)? = nil,
        renewal: Load<ReadResult<Value>>? = nil
    ) -> ReadResult<Value> {
        noteUse(of: found.entry, at: now)
        if !found.freshness.isFresh, let chain = LoadChain.current {
            var wait: (@Sendable () async -> Bool)?
            if let renewal { wait = { [core] in await renewal.hasRenewed(core.clock) } }
            chain.noteStaleValue(error, renewal: wait)
        }
        statistics.add(found.freshness.isFresh ? .hit : .stale)
        return result(found, at: now, after: error)
    }

    func result(_ found: Found, at now: Double, after error: (any Error)? = nil) -> ReadResult<Value> {
        ReadResult(
            value: found.entry.value,
            origin: found.entry.takeOrigin(),
            age: .seconds(max(0, now - found.entry.loaded)),
            loaded: found.entry.loaded,
            isStale: !found.freshness.isFresh,
            error: error
        )
    }

    /// Returns a result with the changes of commands that have not ended, or that no load has confirmed yet.
    func withUnconfirmedChanges(_ result: ReadResult<Value>, of query: Q) -> ReadResult<Value> {
        let key = ScopedQuery(query: query, scope: rule.scope.current)
        let epoch = find(query, key.scope, at: core.seconds)?.entry.epoch ?? .max
        return state.withLock { state in
            var layers = state.watches[key]?.layers ?? state.layers(of: key)
            layers.rebase(on: result.value, loadedIn: epoch)
            guard let value = layers.value else { return result }
            return result.with(value, isOptimistic: layers.areVisible(in: value))
        }
    }

    private func load(
        _ key: ScopedQuery<Q>,
        _ mode: ReadMode.Kind,
        from next: some Dispatcher
    ) async throws -> ReadResult<Value> {
        let chain = LoadChain.current
        if let chain, chain.contains(self, key) {
            // A handler that dispatches its own query would wait for itself.
            return ReadResult(loaded: try await chain.passing(self, key) { try await next.dispatch(key.query) })
        }
        // A canceled caller begins nothing.
        try Task.checkCancellation()
        let load: Load<ReadResult<Value>>
        switch join(key, mode, from: next) {
        case .load(let joined): load = joined
        case .found(let found): return use(found, at: core.seconds)
        case .failed(let error):
            statistics.add(.hit)
            throw error
        }
        defer { load.unsubscribe() }
        if let chain { try core.waits.begin(of: chain, for: load) }
        defer { if let chain { core.waits.end(of: chain, for: load) } }
        let limit = fallback(key, mode) == nil ? policy.hardTimeout : policy.softTimeout ?? policy.hardTimeout
        guard let result = await load.result(within: limit, core.clock) else {
            try Task.checkCancellation()
            load.keep(for: .background)
            let timeout = CacheTimeout(query: name, timeout: limit ?? .zero)
            guard let found = await replacement(key, mode) else { throw timeout }
            return use(found, at: core.seconds, after: timeout)
        }
        switch result {
        case .success(let result):
            let isOutdated = isOutdated(load)
            if isOutdated || result.isStale { chain?.noteStaleValue(result.error, isOutdated: isOutdated) }
            return result.markedStale(if: isOutdated)
        case .failure(let error):
            guard let found = await replacement(key, mode) else { throw error }
            return use(found, at: core.seconds, after: error)
        }
    }

    /// Returns the value in memory, or with `freshOrStale` in the store, that replaces a failed load.
    private func replacement(_ key: ScopedQuery<Q>, _ mode: ReadMode.Kind) async -> Found? {
        if let found = fallback(key, mode) { return found }
        return mode == .freshOrStale ? await promote(key) : nil
    }

    /// Returns the value in memory that replaces a failed load, if the mode or the policy permits that.
    private func fallback(_ key: ScopedQuery<Q>, _ mode: ReadMode.Kind) -> Found? {
        guard mode != .fresh, let found = find(key.query, key.scope, at: core.seconds),
            mode == .freshOrStale || found.freshness.isUsableOnError
        else { return nil }
        return found
    }
}

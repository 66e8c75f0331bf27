import Duet
import Foundation
import Synchronization

/// The cached values of one query and their loads.
final class CachedQuery<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    typealias Value = Q.Value

    let rule: Cache<Q>
    let name = Q.messageName
    /// The position of this query among the cached queries.
    let index: Int
    let core: CacheCore
    let entries = Entries<Q>()
    let limits: FreshnessLimits
    private let isShared: Bool
    /// The last invalidation of all values of this query.
    let all = Invalidated()
    /// The last invalidation of some of them by a predicate.
    let some = Invalidated()
    let statistics = QueryCounters()
    /// Orders stores, invalidations and the beginnings of loads.
    let state = Mutex(State())

    struct State {
        var loads = Loads<Q>()
        var watches = Watches<Q>()
        var marks = StoredMarks<Q>()
        /// The version that the last command of this client with a rule for this query has led to elsewhere.
        var required: CacheVersion?
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
        for task in state.withLock(\.watches.reportTasks) { task.cancel() }
    }
}

// MARK: Finding

extension CachedQuery {
    /// A cached value with its freshness.
    struct Found {
        let entry: Entry<Q>
        let freshness: Freshness
        /// The last epoch in which the value is known to be valid.
        let validEpoch: Epoch
        /// ``Watch/handledEpoch`` for new observers, who see at once that the value is stale.
        let handledEpoch: Epoch
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

    /// The key of a query in the current scope.
    func currentKey(of query: Q) -> ScopedQuery<Q> { ScopedQuery(query: query, scope: rule.scope.current) }

    /// Finds the value at a time, which is now by default.
    func find(_ key: ScopedQuery<Q>, at now: Double? = nil) -> Found? {
        find(key.query, key.scope, at: now ?? core.seconds)
    }

    func found(_ entry: Entry<Q>, at now: Double) -> Found {
        // Read first, so that a value that is invalidated meanwhile has an earlier epoch.
        let epoch = core.epochs.current
        let isInvalidated = isInvalidated(entry)
        let dates = StoredDates(loaded: entry.loaded, expires: entry.expires)
        let freshness = limits.freshness(of: dates, lastUse: entry.lastUse, isInvalidated: isInvalidated, at: now)
        // One that was marked may have been made from a stale value.
        let lastValid = entry.isInvalidatedByRule ? 0 : entry.epoch
        return Found(
            entry: entry,
            freshness: freshness,
            validEpoch: isInvalidated ? lastValid : epoch,
            handledEpoch: isInvalidated ? epoch : entry.epoch
        )
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
        noteUseByLoad(of: entry)
        shard.addHit()
        return entry
    }

    @inline(__always)
    func noteUse(of entry: Entry<Q>, at now: Double) {
        if limits.idleTime < .infinity { entry.noteUse(at: now) }
        if entry.noteUse() { core.order.noteUse(of: entry) }
    }
}

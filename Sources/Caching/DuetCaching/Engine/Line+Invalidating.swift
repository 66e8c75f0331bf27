import Duet
import Synchronization

extension Line {
    /// Invalidates all values, in constant time except for observed ones.
    func invalidateAll() {
        state.withLock { _ in all.invalidate(core.epochs) }
        markStored()
        statistics.add(.invalidated)
    }

    /// Invalidates the values of some queries, and the loads of such values.
    func invalidate(where isMeant: @escaping @Sendable (Q) -> Bool) {
        let mark = state.withLock { state in
            let epoch = core.epochs.next()
            for (key, load) in state.loads where isMeant(key.query) { load.markInvalid() }
            state.failures = state.failures.filter { !isMeant($0.key.query) }
            entries.forEach { if isMeant($0.query) { $0.markInvalid() } }
            for key in state.watches.keys where isMeant(key.query) { state.watches[key]?.isMarkedInvalid = true }
            return markStored(&state, at: epoch, where: isMeant)
        }
        mark?()
        statistics.add(.invalidated)
    }

    /// Removes all values, after everything was invalidated.
    func removeAll() {
        let removed = state.withLock { state in
            state.failures = [:]
            for key in state.watches.keys { state.watches[key]?.removeValue(before: state.lastLoad) }
            return entries.removeAll()
        }
        core.order.remove(removed.lazy.map { $0 as any Evictable })
    }

    /// Removes the values that nobody observes from memory.
    func removeUnobserved() {
        let removed = state.withLock { state -> [Entry<Q>] in
            var removed: [Entry<Q>] = []
            entries.forEach { entry in
                let key = ScopedQuery(query: entry.query, scope: entry.scope)
                if state.watches[key] == nil, entries.remove(entry) { removed.append(entry) }
            }
            return removed
        }
        core.order.remove(removed.lazy.map { $0 as any Evictable })
    }

    /// Loads invalidated values that are observed, or waits a moment until they are reported.
    ///
    /// - Parameter version: The version that the command has led to elsewhere, from which the changes may be reported.
    func refreshInvalidatedWatches(after version: CacheVersion?) {
        let chain = LoadChain.current
        let reloads = state.withLock { state in
            state.watches.keys.compactMap { key -> (@Sendable () -> Void)? in
                guard let watch = state.watches[key],
                    watch.isMarkedInvalid || isInvalidated(watch.epoch, watch.tags)
                else {
                    // Another command may have found the value that this one has invalidated.
                    state.followers[key]?.awaitLater(version)
                    return nil
                }
                if state.followers[key]?.hasReported(version) == true {
                    // The report was faster than the response to the command.
                    state.watches[key]?.validate(at: core.epochs.current)
                    return nil
                }
                state.watches[key]?.invalidate(at: core.epochs.current)
                // The load that causes this shows its value as stale when it ends.
                guard chain?.contains(self, key) != true else { return nil }
                return awaitReport(of: version, key, &state) ?? reload(key, &state)
            }
        }
        for reload in reloads { reload() }
    }

    /// Returns a function that loads an observed value again, to be called without the lock.
    ///
    /// The first load begins at once. Further ones wait for the end of a pause, so that many invalidations cause few
    /// loads.
    func reload(_ key: ScopedQuery<Q>, _ state: inout State) -> (@Sendable () -> Void)? {
        guard let watch = state.watches[key], !watch.isReloadDelayed else { return nil }
        let now = core.elapsed()
        if let last = watch.lastReload, now < last + reloadPause {
            state.watches[key]?.isReloadDelayed = true
            return { [weak self, clock = core.clock] in
                Task.detached {
                    try? await clock.sleep(for: last + reloadPause - now)
                    self?.reloadNow(key)
                }
            }
        }
        state.watches[key]?.lastReload = now
        return watch.oldestObserver?.refresh
    }

    private func reloadNow(_ key: ScopedQuery<Q>) {
        let refresh = state.withLock { state -> (@Sendable () -> Void)? in
            guard let watch = state.watches[key], watch.isReloadDelayed else { return nil }
            state.watches[key]?.isReloadDelayed = false
            // A load that was dropped has left the observers waiting.
            guard watch.needsReload || watch.state.isLoading && state.loads[key] == nil else { return nil }
            state.watches[key]?.lastReload = core.elapsed()
            return watch.oldestObserver?.refresh
        }
        refresh?()
    }
}

/// The shortest time between two loads of an observed value that invalidations cause.
private let reloadPause = Duration.milliseconds(100)

/// A type-erased line.
protocol AnyLine: AnyObject, Sendable {
    var name: String { get }
    func count(_ event: LineCounters.Event) -> Int
    func invalidateAll()
    func removeAll()
    func removeUnobserved()
    func refreshInvalidatedWatches(after version: CacheVersion?)
    func evict(_ entry: any Evictable)
    func refreshWatches()
    var observerCount: Int { get }
    func endUpdate(_ id: Int)
    func confirmUpdate(_ id: Int, at epoch: Epoch, isCertain: Bool, _ version: CacheVersion?)
    func checks(with handler: any Dispatcher) async -> [RuleCheck]
    var storedCopies: [StoredCopy] { get }
    func explanations(
        limit: Int,
        rules: (_ query: ObjectIdentifier, _ hasTags: Bool) -> [CacheRule]
    ) -> [CacheExplanation]
}

extension Line: AnyLine {
    var name: String { Q.messageName }

    func evict(_ entry: any Evictable) {
        guard let entry = entry as? Entry<Q>, entries.remove(entry), usableUntil(entry) > core.seconds else { return }
        statistics.add(.evicted)
    }

    func count(_ event: LineCounters.Event) -> Int {
        statistics.count(event) + (event == .hit ? entries.hits : 0)
    }

    var observerCount: Int { state.withLock { $0.watches.values.reduce(0) { $0 + $1.observerCount } } }

    func refreshWatches() {
        for refresh in state.withLock({ $0.watches.values.compactMap { $0.oldestObserver?.refresh } }) { refresh() }
    }
}

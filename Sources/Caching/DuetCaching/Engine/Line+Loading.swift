import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

extension Line {
    enum Joined {
        case load(Load<ReadResult<Value>>)
        case found(Found)
        case failed(any Error)
    }

    /// Joins the load of a key, or begins one, or returns the value of a load that has just ended.
    func join(_ key: ScopedQuery<Q>, _ mode: ReadMode.Kind, from next: some Dispatcher) -> Joined {
        let usesCache = mode == .cacheFirst
        let (joined, isNew) = state.withLock { state -> (Joined, Bool) in
            if let load = running(key, state) {
                if !usesCache { load.requireHandler() }
                return (.load(load), false)
            }
            if usesCache {
                let now = core.seconds
                if let found = find(key.query, key.scope, at: now), found.freshness.isFresh {
                    return (.found(found), false)
                }
                if let failure = cachedFailure(of: key, state) { return (.failed(failure.error), false) }
            }
            return (.load(begin(key, usesStore: usesCache, &state)), true)
        }
        guard case .load(let load) = joined else { return joined }
        if isNew {
            start(load, key, from: next)
        } else {
            load.raisePriority(to: Task.currentPriority)
            statistics.add(.coalesced)
        }
        return joined
    }

    /// The stored error of a key that is still thrown; nil while a load is running.
    func cachedFailure(of key: ScopedQuery<Q>, _ state: State) -> Failure? {
        guard state.loads[key] == nil, let failure = state.failures[key], failure.isFresh(at: core.seconds),
            !isInvalidated(failure.epoch, failure.tags)
        else { return nil }
        return failure
    }

    /// Loads a value without waiting for it, unless a load is running.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - purpose: The reason for which the load goes on without callers.
    ///   - usesStore: Whether a fresh value of the store suffices.
    ///   - next: Handles the query.
    /// - Returns: The load; nil if the last observer has left, for whom it would be.
    @discardableResult
    func refresh(
        _ key: ScopedQuery<Q>,
        for purpose: LoadPurpose,
        usingStore usesStore: Bool = false,
        from next: some Dispatcher
    ) -> Load<ReadResult<Value>>? {
        let (load, isNew) = state.withLock { state -> (Load<ReadResult<Value>>?, Bool) in
            if purpose == .observers, state.watches[key] == nil { return (nil, false) }
            if let load = running(key, state) {
                if !usesStore { load.requireHandler() }
                load.keep(for: purpose)
                load.unsubscribe()
                return (load, false)
            }
            return (begin(key, for: purpose, usesStore: usesStore, &state), true)
        }
        if let load, isNew { start(load, key, from: next) }
        return load
    }

    /// Returns the running load of a key with one more subscriber.
    private func running(_ key: ScopedQuery<Q>, _ state: State) -> Load<ReadResult<Value>>? {
        guard let load = state.loads[key], !isOutdated(load), load.subscribe(at: core.seconds) else { return nil }
        return load
    }

    func isOutdated(_ load: Load<ReadResult<Value>>) -> Bool {
        load.isMarkedInvalid || isInvalidated(load.epoch, load.tags)
    }

    private func begin(
        _ key: ScopedQuery<Q>,
        for purpose: LoadPurpose? = nil,
        usesStore: Bool,
        _ state: inout State
    ) -> Load<ReadResult<Value>> {
        // Read first, so that a rule that is applied meanwhile has a later epoch.
        let epoch = core.epochs.current
        state.lastLoad += 1
        let load = Load<ReadResult<Value>>(
            state.lastLoad,
            epoch: epoch,
            tags: rule.tags(key.query).map(core.tags.tag),
            began: core.seconds,
            for: purpose,
            needsHandler: !usesStore || rule.coding == nil
        )
        if core.applying.load(ordering: .acquiring) > 0 { load.markInvalid() }
        if let replaced = state.loads.updateValue(load, forKey: key) {
            if state.watches[key] != nil, state.outdated[key] == nil {
                state.outdated[key] = replaced
            } else if let task = replaced.removeObservers() {
                // In a separate task, because handlers of the cancellation must not run under the lock.
                Task { task.cancel() }
            }
        }
        state.watches[key]?.update { $0.isLoading = true }
        return load
    }

    private func start(_ load: Load<ReadResult<Value>>, _ key: ScopedQuery<Q>, from next: some Dispatcher) {
        // Callers with other deadlines may join.
        var context = TaskContext.current
        context.service?.deadline = nil
        let isRead = load.isRead
        // Nothing waits for another load.
        let chain = LoadChain(
            self,
            key,
            load,
            outer: isRead ? LoadChain.current : nil,
            isInvalidated: { self.isOutdated(load) },
            invalidate: { load.markInvalid() }
        )
        // A load without a caller may begin under a lock that the operation may need. With a timeout,
        // the caller measures time while a handler that does not suspend runs.
        load.start(inNewTask: !isRead || policy.hasTimeout) { [context] in
            let stamp = await self.stamp(isRead: isRead)
            if !load.needsHandler, stamp != nil, let found = await self.promote(key),
                let purpose = self.finish(load, key, with: found)
            {
                if !found.freshness.isFresh || found.freshness.isDueForRefresh {
                    self.refresh(key, for: purpose, from: next)
                }
                return
            }
            if isRead { self.statistics.add(.miss) }
            let result: Result<Value, any Error>
            do {
                let value = try await context.run {
                    try await LoadChain.$current.withValue(chain) { try await self.value(key, from: next) }
                }
                result = .success(value)
            } catch {
                result = .failure(error)
            }
            // A value that was loaded while its scope changed belongs to nobody.
            let isForeign = context.run { self.rule.scope.current } != key.scope
            if isForeign { load.markInvalid() }
            self.finish(load, key, result, chain, stamp, isForeign: isForeign)
            guard let renewal = chain.staleValue?.renewal, await renewal() else { return }
            self.reloadStale(key)
        }
    }

    /// Loads an observed value again that was made from a stale one, which is fresh now.
    private func reloadStale(_ key: ScopedQuery<Q>) {
        let refresh = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.watches[key]?.state.isStale == true, state.loads[key] == nil else { return nil }
            return reload(key, &state)
        }
        refresh?()
    }

    /// The stamp of the store, or nil if it cannot be read; any number without a store.
    private func stamp(isRead: Bool) async -> Int64? {
        guard rule.coding != nil, let tier = core.tier else { return 0 }
        return await tier.stamp(isRead: isRead)
    }

    private func value(_ key: ScopedQuery<Q>, from next: some Dispatcher) async throws -> Value {
        guard let refresh = rule.refresh, let stored = find(key.query, key.scope, at: core.seconds)?.entry.value else {
            return try await next.dispatch(key.query)
        }
        return try await refresh(key.query, stored, next) ?? stored
    }

    /// Ends a load with a value of the store.
    ///
    /// - Returns: The purpose of a load after it; nil if the value may not be used, or a subscriber needs a newer one.
    private func finish(_ load: Load<ReadResult<Value>>, _ key: ScopedQuery<Q>, with found: Found) -> LoadPurpose? {
        let isUsable = found.freshness.isUsableWhileRevalidating
        let purpose = state.withLock { state -> LoadPurpose? in
            let found = self.found(found.entry, at: core.seconds)
            state.watches[key]?.show(found, isLoading: !isUsable || load.needsHandler)
            guard isUsable, !load.needsHandler, !isOutdated(load), !isInvalidated(found.entry) else { return nil }
            if state.loads[key] === load { state.loads[key] = nil }
            return load.nextPurpose
        }
        guard let purpose else { return nil }
        // Only a load that a caller began serves a read.
        let now = core.seconds
        load.finish(.success(load.isRead ? use(found, at: now) : self.result(found, at: now)))
        return purpose
    }

    private func finish(
        _ load: Load<ReadResult<Value>>,
        _ key: ScopedQuery<Q>,
        _ result: Result<Value, any Error>,
        _ chain: LoadChain,
        _ stamp: Int64?,
        isForeign: Bool
    ) {
        let now = core.seconds
        let (cycle, stale) = (chain.cycle, chain.staleValue)
        var entry: Entry<Q>?
        var failure: Failure?
        switch result {
        case .success(let value):
            entry = newEntry(key, value, dates(of: value, loaded: now), load.epoch, load.tags)
            if stale != nil { entry?.markInvalid() }
        case .failure(let error): failure = self.failure(of: error, load, key, at: now)
        }
        let hash = key.tableHash
        var refresh: (@Sendable () -> Void)?
        var doubtful: Value?
        var storing: Storing?
        var obsolete: Task<Void, any Error>?
        let (isStored, replaced) = state.withLock { state -> (Bool, Entry<Q>?) in
            let isCurrent = state.loads[key] === load
            if isCurrent { state.loads[key] = nil }
            if state.outdated[key] === load { state.outdated[key] = nil }
            guard isCurrent, !isOutdated(load) else {
                if isCurrent, isForeign {
                    // Another load would end in the other scope, too.
                    state.watches[key]?.update { $0.isLoading = false }
                } else if isCurrent, let cycle {
                    // Another load would invalidate itself, too.
                    state.watches[key]?.finish(result, load.epoch, at: now, invalidatedBy: cycle)
                    return (false, nil)
                }
                if !isForeign, stale == nil, case .success(let value) = result, core.removed.isValid(load.epoch) {
                    state.watches[key]?.showOutdated(value, now, load.number, load.epoch)
                }
                if !isForeign || !isCurrent, state.loads[key] == nil, let watch = state.watches[key],
                    watch.needsReload || watch.state.isLoading
                {
                    // An observer that waits for this load must not wait forever.
                    refresh = reload(key, &state)
                }
                return (false, nil)
            }
            doubtful = state.followers[key]?.noteLoad(succeeded: entry != nil)
            let isUseless =
                switch result {
                case .failure: load.isAbandoned
                case .success: stale != nil && find(key.query, key.scope, at: now)?.freshness.isFresh == true
                }
            if isUseless {
                state.watches[key]?.update { $0.isLoading = false }
                return (false, nil)
            }
            // Without a stamp, it is not known whether everything was removed since the load began.
            if entry != nil, let stamp { storing = beginStoring(&state, stamp) }
            state.watches[key]?.finish(result, load.epoch, load.tags, at: now, from: stale)
            if entry != nil {
                state.watches[key]?.newestLoad = load.number
                obsolete = state.outdated.removeValue(forKey: key)?.removeObservers()
            }
            if stale == nil, let entry, state.watches[key]?.needsLoad == true {
                // Without its observers, the changes would be missing from a fresh value.
                entry.markInvalid()
                refresh = reload(key, &state)
            }
            state.note(failure, of: key, at: now)
            return (entry != nil, entry.flatMap { entries.insert($0, hash: hash) })
        }
        if let entry { keep(entry, isStored: isStored, replacing: replaced, storing, at: now) }
        refresh?()
        obsolete?.cancel()
        if let doubtful { receive(doubtful, nil, key) }
        // Last, so that callers find the value stored.
        let error = cycle ?? stale?.error
        load.finish(result.map { ReadResult(loaded: $0, at: now, isStale: stale != nil, error: error) })
    }

    /// Notes a value that was stored in the table of this query.
    func keep(_ entry: Entry<Q>, isStored: Bool, replacing replaced: Entry<Q>?, _ storing: Storing?, at now: Double) {
        if let replaced { core.order.remove(CollectionOfOne(replaced)) }
        guard isStored else { return }
        core.evict(core.order.insert(entry, at: now))
        if let storing { store(entry, storing) }
    }

    /// Returns the failure to store, or nil if the policy does not store it.
    private func failure(
        of error: any Error,
        _ load: Load<ReadResult<Value>>,
        _ key: ScopedQuery<Q>,
        at now: Double
    ) -> Failure? {
        guard let errors = policy.errors, !load.isAbandoned, !(error is CancellationError), errors.isCached(error),
            find(key.query, key.scope, at: now)?.freshness.isUsableOnError != true
        else { return nil }
        return Failure(
            error: error,
            dates: StoredDates(loaded: now, expires: now + errors.age.inSeconds),
            epoch: load.epoch,
            tags: load.tags
        )
    }

    func newEntry(
        _ key: ScopedQuery<Q>,
        _ value: Value,
        _ dates: StoredDates,
        _ epoch: Epoch,
        _ tags: [Tag],
        isFromStore: Bool = false
    ) -> Entry<Q> {
        Entry(
            key,
            value,
            dates: dates,
            epoch: epoch,
            tags: tags,
            weight: weight(of: value),
            line: index,
            keepsLastUse: limits.idleTime < .infinity,
            isFromStore: isFromStore
        )
    }

    func dates(of value: Value, loaded: Double) -> StoredDates {
        policy.dates(of: value, loaded: loaded, random: policy.jitter > 0 ? core.random() : 0)
    }

    /// The weight of a value, or the largest integer if the rule returns a negative weight.
    func weight(of value: Value) -> Int {
        guard !core.order.limit.countsEntries, let weight = rule.weight?(value) else { return 1 }
        return weight < 0 ? .max : max(1, weight)
    }

    /// When a value can no longer be served, even if loading fails; infinity for never.
    func usableUntil(_ entry: Entry<Q>) -> Double { entry.expires + limits.grace }
}

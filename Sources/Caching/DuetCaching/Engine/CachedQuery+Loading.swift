import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

extension CachedQuery {
    typealias Running = Load<ReadResult<Value>>

    enum Joined {
        case load(Running, isJoined: Bool)
        case found(Found)
        case failed(Failure)
    }

    // MARK: Beginning

    /// Joins the load of a key, or begins one, or returns the value of a load that has just ended.
    func join(_ key: ScopedQuery<Q>, _ mode: ReadMode.Kind, from next: some Dispatcher) -> Joined {
        let usesCache = mode == .cacheFirst
        let (joined, start) = state.withLock { state -> (Joined, Start?) in
            if let load = subscribedLoad(of: key, state) {
                if !usesCache { load.requireHandler() }
                return (.load(load, isJoined: true), nil)
            }
            if usesCache {
                let now = core.seconds
                if let found = find(key, at: now), found.freshness.isFresh {
                    return (.found(found), nil)
                }
                if let failure = failure(of: key, state) { return (.failed(failure), nil) }
            }
            let start = begin(key, usesStore: usesCache, &state)
            return (.load(start.load, isJoined: false), start)
        }
        if let start {
            launch(start, key, from: next)
        } else if case .load(let load, _) = joined {
            load.raisePriority(to: Task.currentPriority)
            statistics.add(.coalesced)
        }
        return joined
    }

    /// Loads a value without waiting for it, unless a load is running.
    ///
    /// - Parameters:
    ///   - purpose: The reason for which the load goes on without callers.
    ///   - usesStore: Whether a fresh value of the store suffices.
    /// - Returns: The load; nil if the last observer has left, for whom it would be.
    @discardableResult
    func refresh(
        _ key: ScopedQuery<Q>,
        for purpose: LoadPurpose,
        usingStore usesStore: Bool = false,
        from next: some Dispatcher
    ) -> Running? {
        let (load, start) = state.withLock { state -> (Running?, Start?) in
            if purpose == .observers, state.watches[key] == nil { return (nil, nil) }
            if let load = subscribedLoad(of: key, state) {
                if !usesStore { load.requireHandler() }
                load.keep(for: purpose)
                load.unsubscribe()
                return (load, nil)
            }
            let start = begin(key, for: purpose, usesStore: usesStore, &state)
            return (start.load, start)
        }
        if let start {
            launch(start, key, from: next)
        } else {
            load?.raisePriority(to: Task.currentPriority)
        }
        return load
    }

    /// Returns the running load of a key with one more subscriber.
    private func subscribedLoad(of key: ScopedQuery<Q>, _ state: State) -> Running? {
        guard let load = state.loads.current(of: key), !isOutdated(load), load.subscribe(at: core.seconds) else {
            return nil
        }
        return load
    }

    /// Loads a value of a version that the response to a command holds, unless a newer one is known.
    func renew(_ query: Q, _ version: CacheVersion?, from next: some Dispatcher) -> Running? {
        let key = currentKey(of: query)
        let isUseful = state.withLock { state in
            !known(key, state).contains { version?.isOlder(than: $0) == true }
                && state.watches[key]?.includes(version) != true
        }
        return isUseful && Self.isCacheable(query) ? refresh(key, for: .background, from: next) : nil
    }

    /// The versions that the value of a key must have.
    private func known(_ key: ScopedQuery<Q>, _ state: State) -> [CacheVersion] {
        [state.required, entry(of: key)?.source].compactMap(\.self) + state.watches.versions(of: key)
    }

    func isOutdated(_ load: Running) -> Bool { load.isMarkedInvalid || isInvalidated(load.epoch, load.tags) }

    /// The stored error of a key that is still thrown; nil while a load is running.
    func failure(of key: ScopedQuery<Q>, _ state: State) -> Failure? {
        state.loads.failure(of: key, at: core.seconds, isInvalidated: isInvalidated)
    }

    /// A load that is to be started, the task of the one that it replaces, and what has caused it.
    private typealias Start = (load: Running, obsolete: Task<Void, any Error>?, causes: LoadCauses)

    private func begin(
        _ key: ScopedQuery<Q>,
        for purpose: LoadPurpose? = nil,
        usesStore: Bool,
        _ state: inout State
    ) -> Start {
        // Read first, so that a rule that is applied meanwhile has a later epoch.
        let epoch = core.epochs.current
        let tags = rule.tags(key.query).map(core.tags.tag)
        let known = known(key, state)
        let isLate = AnswerOffer.response(to: key.query)?.isLate == true
        let (load, obsolete) = state.loads.begin(key, observedSince: state.watches[key]?.arrival) { number in
            Running(
                number,
                epoch: epoch,
                tags: tags,
                known: known,
                isLate: isLate,
                began: core.seconds,
                for: purpose,
                needsHandler: !usesStore
            )
        }
        if isLate || core.applying.load(ordering: .acquiring) > 0 { load.markInvalid() }
        state.watches[key]?.update { $0.isLoading = true }
        let causes = state.watches[key]?.takeCauses()
        return (load, obsolete, purpose == .observers ? causes ?? LoadCauses() : LoadCauses())
    }

    // MARK: Running

    private func launch(_ start: Start, _ key: ScopedQuery<Q>, from next: some Dispatcher) {
        // In a separate task, because the caller may have a lock that handlers of the cancellation need.
        if let obsolete = start.obsolete { Task { obsolete.cancel() } }
        let load = start.load
        // Callers with other deadlines may join.
        var context = TaskContext.current
        context.service?.deadline = nil
        // Nothing waits for another load.
        let chain = LoadChain(
            self,
            key,
            load,
            outer: load.isRead ? LoadChain.current : nil,
            causes: start.causes,
            isInvalidated: { self.isOutdated(load) },
            invalidate: { load.markInvalid() }
        )
        // A load without a caller may begin under a lock that the operation may need. With a timeout,
        // the caller measures time while a handler that does not suspend runs.
        load.start(inNewTask: !load.isRead || policy.hasTimeout) { [context] in
            await self.run(load, key, chain, in: context, from: next)
        }
    }

    private func run(
        _ load: Running,
        _ key: ScopedQuery<Q>,
        _ chain: LoadChain,
        in context: TaskContext,
        from next: some Dispatcher
    ) async {
        let stamp = await stamp(isRead: load.isRead)
        if stamp != nil, await finishFromStore(load, key, from: next) { return }
        if load.isRead { statistics.add(.miss) }
        let result: Result<(value: Value, version: CacheVersion?), any Error>
        do {
            let loaded = try await context.run {
                try await LoadChain.$current.withValue(chain) {
                    try await self.tracking(load) { try await self.value(for: load, key, from: next) }
                }
            }
            result = .success(loaded)
        } catch {
            result = .failure(error)
        }
        // A value that was loaded while its scope changed belongs to nobody.
        let isForeign = context.run { rule.scope.current } != key.scope
        if isForeign { load.markInvalid() }
        let end = LoadEnd(
            load: load,
            key: key,
            result: result.map(\.value),
            source: try? result.get().version,
            cycle: chain.cycle,
            stale: chain.staleValue,
            stamp: stamp,
            isForeign: isForeign,
            time: core.seconds
        )
        finish(end)
        guard let renewal = end.stale?.renewal, await renewal() else { return }
        reloadStale(key)
    }

    /// Loads an observed value again that was made from a stale one, which is fresh now.
    private func reloadStale(_ key: ScopedQuery<Q>) {
        let action = state.withLock { state -> Watches<Q>.Action? in
            guard state.watches[key]?.state.isStale == true, !state.loads.isRunning(key) else { return nil }
            return state.watches.reload(key, at: core.elapsed())
        }
        carryOut(action)
    }

    /// The stamp of the store, or nil if it cannot be read; any number without a store.
    private func stamp(isRead: Bool) async -> Int64? {
        guard rule.coding != nil, let tier = core.tier else { return 0 }
        return await tier.stamp(isRead: isRead)
    }

    private func value(
        for load: Running,
        _ key: ScopedQuery<Q>,
        from next: some Dispatcher
    ) async throws -> (value: Value, version: CacheVersion?) {
        if let refresh = rule.refresh, AnswerOffer.response(to: key.query) == nil,
            let stored = find(key)?.entry
        {
            DataUse.current?.noteRead(stored.tags.names, door: stored.tags.door)
            return (try await refresh(key.query, stored.value, next) ?? stored.value, nil)
        }
        // Caches on the way may not know of an invalidation in this one, whenever it was.
        let needsServer =
            load.needsHandler || isInvalidated(0, load.tags) || !some.isValid(0)
            || core.data.hasWrittenToServer && entry(of: key).map(isInvalidated) != false
        var loaded = try await next.versioned(key.query, requiring: load.known, needsServer: needsServer)
        // A handler has dispatched another query of this type.
        if loaded.version?.cache == core.versionID { loaded.version = nil }
        guard load.isOlderThanKnown(loaded.version) else { return loaded }
        // It comes from a cache on the way that does not know of a change.
        let repeated = try? await next.versioned(key.query, .fresh, requiring: load.known)
        guard let repeated, !load.isOlderThanKnown(repeated.version) else {
            LoadChain.current?.noteStaleValue(nil)
            return repeated ?? loaded
        }
        return repeated
    }

    /// Ends a load with a value of the store, unless that may not be used, or a subscriber needs a newer one.
    private func finishFromStore(_ load: Running, _ key: ScopedQuery<Q>, from next: some Dispatcher) async -> Bool {
        guard rule.coding != nil, !load.needsHandler, let found = await promote(key) else { return false }
        let isUsable = found.freshness.isUsableWhileRevalidating
        let purpose = state.withLock { state -> LoadPurpose? in
            let found = self.found(found.entry, at: core.seconds)
            state.watches[key]?.show(found, isLoading: !isUsable || load.needsHandler, in: self)
            guard isUsable, !load.needsHandler, !isOutdated(load), !isInvalidated(found.entry) else { return nil }
            _ = state.loads.end(load, of: key)
            return load.nextPurpose
        }
        guard let purpose else { return false }
        load.addTags(found.entry.tags)
        // Only a load that a caller began serves a read.
        let now = core.seconds
        load.finish(.success(load.isRead ? use(found, at: now) : result(found, at: now)))
        if !found.freshness.isFresh || found.freshness.isDueForRefresh { refresh(key, for: purpose, from: next) }
        return true
    }
}

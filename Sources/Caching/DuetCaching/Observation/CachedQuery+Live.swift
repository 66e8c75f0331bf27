import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

/// The pauses before changes are followed again after they were no longer reported.
private let followingPauses = (first: Duration.seconds(1), last: Duration.seconds(60))

extension CachedQuery {
    /// Follows the changes that the dispatcher of an observer reports, until the observer leaves.
    ///
    /// If they are no longer reported, the value is loaded, and ages. New observers then load it again if it is stale.
    /// The next attempt to follow comes with the next observer, or after a pause.
    func follow(_ key: ScopedQuery<Q>, _ observer: Int, from next: any Dispatcher) {
        let begun = state.withLock { state in
            state.watches.follow(key, for: observer, at: state.loads.nextNumber())
        }
        guard let (id, actions) = begun else { return }
        let task = Task { [weak self, clock = core.clock] in
            // The observation is not part of the load that may have begun it.
            await LoadChain.$current.withValue(nil) {
                await self?.showStored(key)
                var pause = followingPauses.first
                while !Task.isCancelled {
                    if await Self.forwardReports(of: key, from: next, to: { self }) { pause = followingPauses.first }
                    self?.endReport(of: key)
                    guard !Task.isCancelled, self?.setPaused(true, key, id) == true else { return }
                    self?.refresh(key, for: .observers, from: next)
                    try? await clock.sleep(for: pause)
                    guard !Task.isCancelled, self?.setPaused(false, key, id) == true else { return }
                    pause = min(pause * 2, followingPauses.last)
                }
            }
        }
        if !state.withLock({ $0.watches.note(task, of: key, id) }) { task.cancel() }
        carryOut(actions)
    }

    /// Receives what a dispatcher reports, and returns whether there was anything but failures.
    private static func forwardReports(
        of key: ScopedQuery<Q>,
        from next: any Dispatcher,
        to receiver: () -> CachedQuery?
    ) async -> Bool {
        guard let states = next.updates(of: key.query) else { return false }
        var updates = QueryUpdates(states)
        var hasSucceeded = false
        while let update = await updates.next() {
            if case .failure = update {} else { hasSucceeded = true }
            receiver()?.receive(update, updates.version, key)
        }
        return hasSucceeded
    }

    /// - Returns: Whether the value is still followed.
    private func setPaused(_ isPaused: Bool, _ key: ScopedQuery<Q>, _ id: Int) -> Bool {
        state.withLock { $0.watches.setPaused(isPaused, key, id) }
    }

    /// Lets a value age that was fresh for as long as its changes were reported.
    private func endReport(of key: ScopedQuery<Q>) {
        if policy.isTracked, let entry = entry(of: key), entry.expires == .infinity { entry.markInvalid() }
    }

    private func showStored(_ key: ScopedQuery<Q>) async {
        guard find(key) == nil, let found = await promote(key) else { return }
        state.withLock { $0.watches[key]?.show(found, isLoading: true, in: self) }
    }

    private func receive(_ update: QueryUpdate<Value>, _ version: CacheVersion?, _ key: ScopedQuery<Q>) {
        guard rule.scope.current == key.scope else {
            // The old value has changed, and the new one may belong to another scope.
            entry(of: key)?.markInvalid()
            return state.withLock { $0.watches[key]?.invalidate(at: core.epochs.current) }
        }
        switch update {
        case .value(let value): receive(value, version, key)
        case .confirmed:
            guard let version else { return }
            let (value, action) = state.withLock { state in
                state.watches.noteConfirmation(version, key, at: moment(state.loads))
            }
            if let value { receive(value, version, key) }
            carryOut(action)
        case .unchanged:
            if let entry = find(key)?.entry, !isInvalidated(entry) {
                return receive(entry.value, version, key)
            }
            state.withLock { $0.watches[key]?.update { $0.error = nil } }
        // It will not pass, so the reports end, and the load that follows tells the reason.
        case .failure(let error as any TemporaryError) where !error.isTemporary: break
        case .failure(let error):
            endReport(of: key)
            state.withLock { state in
                let isLoading = state.loads.isRunning(key)
                state.watches[key]?.update { state in
                    state.error = error
                    state.isLoading = isLoading
                }
            }
        }
    }

    /// Shows a reported value, and keeps it unless it may be older than the one that was loaded.
    ///
    /// - Parameter known: The epoch in which observers have it already; nil for a new report.
    func receive(_ value: Value, _ version: CacheVersion?, _ key: ScopedQuery<Q>, from known: Epoch? = nil) {
        let now = core.seconds
        let tags = rule.tags(key.query).map(core.tags.tag) + core.data.tagsOfReport(query: index)
        var report = Arrival(value: value, loaded: now, epoch: known ?? core.epochs.current, source: version)
        var dates = dates(of: value, loaded: now, tags)
        let isFollowed = state.withLock { $0.watches.areReported(key) }
        if policy.isTracked, isFollowed { dates = StoredDates(loaded: now, expires: .infinity) }
        let entry = newEntry(key, value, dates: dates, epoch: report.epoch, tags: tags, source: version)
        var storing: Storing?
        let (isKept, replaced, action) = state.withLock { state -> (Bool, Entry<Q>?, Watches<Q>.Action?) in
            if let known, state.watches[key]?.handledEpoch != known { return (false, nil, nil) }
            let number = state.loads.nextNumber()
            let isKnown = { self.entry(of: key).map { areEqual($0.value, value) == true } == true }
            let (isKept, action) = state.watches.note(
                report,
                key,
                at: number,
                isKnown: isKnown,
                at: moment(state.loads)
            )
            guard isKept else { return (false, nil, action) }
            storing = beginStoring(&state, nil)
            // Before observers see the value, who may read it again.
            let replaced = entries.insert(entry, hash: key.tableHash)
            report.kept = KeptValue(entry, in: self)
            state.watches[key]?.accept(report, report.epoch, tags, at: number)
            state.loads.note(nil, of: key, at: now)
            return (true, replaced, nil)
        }
        if isKept { keep(entry, replacing: replaced, storing, at: now) }
        carryOut(action)
    }

    /// The states of a query's value, as `QueryStates<Value>`.
    func updates(of query: Q, from next: any Dispatcher) -> (any Sendable)? {
        var context = TaskContext.current
        // An observation lasts longer than the work that begins it.
        context.service?.deadline = nil
        let watch = watch(query, from: next)
        return QueryStates<Value> { [self, context] in
            // In the context of the observer, whose scope and credentials the loads need.
            var states = context.run { watch() }.makeAsyncIterator()
            var mayWaitForItself = LoadChain.current != nil
            return {
                if mayWaitForItself {
                    mayWaitForItself = false
                    // A handler waits for the load of the first value as a dispatch does.
                    do {
                        _ = try await self.result(query, .cacheFirst, from: next)
                    } catch let cycle as CacheCycle {
                        var state = QueryState<Value>()
                        state.fail(cycle)
                        return state
                    } catch {}
                }
                return await states.next(isolation: #isolation)
            }
        }
    }
}

import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

/// How long observers wait for the report of a command's changes, before they load the value.
private let reportTimeout = Duration.seconds(1)

/// The pauses before changes are followed again after they were no longer reported.
private let followingPauses = (first: Duration.seconds(1), last: Duration.seconds(60))

extension Line {
    /// Whether a dispatcher reports the changes of values, so that they need not be loaded.
    func isLive(_ next: any Dispatcher) -> Bool { next.isLive(Q.self) }

    /// Follows the changes that the dispatcher of an observer reports, until the observer leaves.
    ///
    /// If they are no longer reported, the value is loaded, and ages. New observers then load it again if it is stale.
    /// The next attempt to follow comes with the next observer, or after a pause.
    func follow(_ key: ScopedQuery<Q>, _ observer: Int, from next: any Dispatcher) {
        let replaced = state.withLock { state -> Follower<Value>? in
            let replaced = state.followers[key]
            guard replaced?.isPaused != false, state.watches[key] != nil else { return nil }
            state.watches[key]?.update { $0.isLoading = true }
            let id = UUID()
            state.followers[key] = Follower(
                id: id,
                observer: observer,
                task: Task { [weak self, clock = core.clock] in
                    // The observation is not part of the load that may have begun it.
                    await LoadChain.$current.withValue(nil) {
                        await self?.showStored(key)
                        var pause = followingPauses.first
                        while !Task.isCancelled {
                            if let states = next.updates(of: key.query) {
                                var updates = QueryUpdates(states)
                                while let update = await updates.next() {
                                    if case .failure = update {} else { pause = followingPauses.first }
                                    self?.receive(update, updates.version, key)
                                }
                            }
                            guard !Task.isCancelled, self?.setPaused(true, key, id) == true else { return }
                            self?.refresh(key, for: .observers, from: next)
                            try? await clock.sleep(for: pause)
                            guard !Task.isCancelled, self?.setPaused(false, key, id) == true else { return }
                            pause = min(pause * 2, followingPauses.last)
                        }
                    }
                }
            )
            return replaced
        }
        replaced?.task.cancel()
    }

    /// - Returns: Whether the follower is still the one of the value.
    private func setPaused(_ isPaused: Bool, _ key: ScopedQuery<Q>, _ id: UUID) -> Bool {
        state.withLock { state in
            guard state.followers[key]?.id == id else { return false }
            state.followers[key]?.isPaused = isPaused
            return true
        }
    }

    private func showStored(_ key: ScopedQuery<Q>) async {
        guard find(key.query, key.scope, at: core.seconds) == nil, let found = await promote(key) else { return }
        state.withLock { $0.watches[key]?.show(found, isLoading: true) }
    }

    /// Returns a function that loads a value unless a version is reported within ``reportTimeout``.
    ///
    /// It is nil if the changes of the value are not reported from the cache of the version.
    func awaitReport(
        of version: CacheVersion?,
        _ key: ScopedQuery<Q>,
        _ state: inout State
    ) -> (@Sendable () -> Void)? {
        guard let version, state.loads[key] == nil, let number = state.followers[key]?.beginWait(for: version)
        else { return nil }
        state.watches[key]?.update { $0.isLoading = true }
        guard number > 0 else { return {} }
        return { [weak self, clock = core.clock] in
            Task.detached {
                try? await clock.sleep(for: reportTimeout)
                self?.endWait(number, key)
            }
        }
    }

    private func endWait(_ number: Int, _ key: ScopedQuery<Q>) {
        let load = state.withLock { state in
            state.followers[key]?.endWait(number) == true ? reload(key, &state) : nil
        }
        load?()
    }

    private func receive(_ update: QueryUpdate<Value>, _ version: CacheVersion?, _ key: ScopedQuery<Q>) {
        guard rule.scope.current == key.scope else {
            // The old value has changed, and the new one may belong to another scope.
            entries.entry(hash: key.tableHash, query: key.query, scope: key.scope)?.markInvalid()
            return state.withLock { $0.watches[key]?.invalidate(at: core.epochs.current) }
        }
        switch update {
        case .value(let value): receive(value, version, key)
        case .confirmed:
            let value = state.withLock { state -> Value? in
                if state.followers[key]?.awaits(version) == true { return state.watches[key]?.layers.base }
                _ = state.followers[key]?.isEarly(version)
                return nil
            }
            if let value { receive(value, version, key) }
        case .unchanged:
            if let entry = find(key.query, key.scope, at: core.seconds)?.entry, !isInvalidated(entry) {
                return receive(entry.value, version, key)
            }
            state.withLock { $0.watches[key]?.update { $0.error = nil } }
        // It will not pass, so the reports end, and the load that follows tells the reason.
        case .failure(let error as any TemporaryError) where !error.isTemporary: break
        case .failure(let error):
            state.withLock { state in
                let isLoading = state.loads[key] != nil
                state.watches[key]?.update { state in
                    state.error = error
                    state.isLoading = isLoading
                }
            }
        }
    }

    func receive(_ value: Value, _ version: CacheVersion?, _ key: ScopedQuery<Q>) {
        let now = core.seconds
        let tags = rule.tags(key.query).map(core.tags.tag)
        let epoch = core.epochs.current
        let entry = newEntry(key, value, dates(of: value, loaded: now), epoch, tags)
        var storing: Storing?
        var refresh: (@Sendable () -> Void)?
        let (isStored, replaced) = state.withLock { state -> (Bool, Entry<Q>?) in
            guard state.watches[key] != nil else { return (false, nil) }
            let isEarly = state.followers[key]?.isEarly(version) == true
            // It is not known whether the value of a running load is newer, so the observer loads once more.
            if let load = state.loads[key] { load.markInvalid() }
            state.watches[key]?.newestLoad = state.lastLoad
            if isEarly || state.loads[key] != nil {
                state.watches[key]?.show(value, now, .fresh, 0, version, isLoading: true)
                return (false, nil)
            }
            if state.followers[key]?.isBehind == true {
                state.followers[key]?.isBehind = false
                let current = entries.entry(hash: key.tableHash, query: key.query, scope: key.scope)
                guard current.map({ areEqual($0.value, value) == true }) == true else {
                    state.followers[key]?.doubtful = value
                    refresh = state.watches[key]?.oldestObserver?.refresh
                    return (false, nil)
                }
            }
            storing = beginStoring(&state, nil)
            state.watches[key]?.finish(.success(value), epoch, tags, at: now, version)
            state.failures[key] = nil
            return (true, entries.insert(entry, hash: key.tableHash))
        }
        keep(entry, isStored: isStored, replacing: replaced, storing, at: now)
        refresh?()
    }

    /// The states of a query's value, as `QueryStates<Value>`.
    func updates(of query: Q, from next: any Dispatcher) -> (any Sendable)? {
        let context = TaskContext.current
        let watch = watch(query, from: next)
        return QueryStates<Value> {
            // In the context of the observer, whose scope and credentials the loads need.
            var states = context.run { watch() }.makeAsyncIterator()
            return { await states.next(isolation: #isolation) }
        }
    }
}

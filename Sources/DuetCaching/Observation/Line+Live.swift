import Duet
import ServiceContextModule
import Synchronization

extension Line {
    /// Whether a dispatcher reports the changes of values, so that they need not be loaded.
    func isLive(_ next: any Dispatcher) -> Bool { (next as? any LiveDispatcher)?.isLive(Q.self) == true }

    /// Follows the changes that the dispatcher reports, until the last observer leaves.
    func follow(_ key: ScopedQuery<Q>, from next: any Dispatcher) {
        state.withLock { state in
            guard state.followers[key] == nil, state.watches[key] != nil else { return }
            state.watches[key]?.update { $0.isLoading = true }
            state.followers[key] = Task { [weak self] in
                // The observation is not part of the load that may have begun it.
                await LoadChain.$current.withValue(nil) {
                    await self?.showStored(key)
                    guard let updates = (next as? any LiveDispatcher)?.updates(of: key.query) else { return }
                    for await update in updates { self?.receive(update, key) }
                    guard !Task.isCancelled else { return }
                    // Changes are no longer reported.
                    self?.refresh(key, from: next)
                }
            }
        }
    }

    private func showStored(_ key: ScopedQuery<Q>) async {
        guard find(key.query, key.scope, at: core.seconds) == nil, let found = await promote(key) else { return }
        state.withLock { $0.watches[key]?.show(found, isLoading: true) }
    }

    private func receive(_ update: QueryUpdate<Value>, _ key: ScopedQuery<Q>) {
        switch update {
        case .value(let value): receive(value, key)
        case .unchanged:
            if let entry = find(key.query, key.scope, at: core.seconds)?.entry, !isInvalidated(entry) {
                return receive(entry.value, key)
            }
            state.withLock { $0.watches[key]?.update { $0.error = nil } }
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

    private func receive(_ value: Value, _ key: ScopedQuery<Q>) {
        let now = core.seconds
        let tags = rule.tags(key.query).map(core.tags.tag)
        let epoch = core.epochs.current
        let entry = newEntry(key, value, dates(of: value, loaded: now), epoch, tags)
        var storing: Storing?
        let (isStored, replaced) = state.withLock { state -> (Bool, Entry<Q>?) in
            guard state.watches[key] != nil else { return (false, nil) }
            if let load = state.loads[key] {
                // It is not known which of the two values is newer, so the observer loads once more.
                load.markInvalid()
                state.watches[key]?.show(value, now, .fresh, 0, isLoading: true)
                return (false, nil)
            }
            storing = beginStoring(&state)
            state.watches[key]?.finish(.success(value), epoch, tags, at: now)
            state.failures[key] = nil
            return (true, entries.insert(entry, hash: key.tableHash))
        }
        keep(entry, isStored: isStored, replacing: replaced, storing, at: now)
    }

    /// The updates of a query's value, as `QueryUpdates<Value>`.
    func updates(of query: Q, from next: any Dispatcher) -> (any Sendable)? {
        let context = ServiceContext.current
        let watch = watch(query, every: nil, from: next)
        return QueryUpdates<Value> {
            // In the context of the observer, whose scope and credentials the loads need.
            var states = ServiceContext.$current.withValue(context) { watch() }.makeAsyncIterator()
            var generation = 0
            var hasFailed = false
            return {
                while let state = await states.next(isolation: #isolation) {
                    if let value = state.value, state.isServable || state.error != nil, state.generation != generation {
                        generation = state.generation
                        if state.error == nil { hasFailed = false }
                        return .value(value)
                    }
                    if let error = state.error {
                        if hasFailed { continue }
                        hasFailed = true
                        return .failure(error)
                    }
                    if hasFailed, !state.isLoading {
                        hasFailed = false
                        return .unchanged
                    }
                }
                return nil
            }
        }
    }
}

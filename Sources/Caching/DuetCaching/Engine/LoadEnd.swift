import Duet
import Synchronization

/// A load whose handler has returned.
struct LoadEnd<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    let load: Load<ReadResult<Q.Value>>
    let key: ScopedQuery<Q>
    let result: Result<Q.Value, any Error>
    /// The error of a load that has invalidated itself.
    let cycle: CacheCycle?
    /// A stale value that the handler has used.
    let stale: LoadChain.StaleValue?
    /// The stamp of the store before the load; nil if it could not be read.
    let stamp: Int64?
    /// Whether the scope of the task has changed, so that the value belongs to nobody.
    let isForeign: Bool
    let time: Double

    var isSuccess: Bool { if case .success = result { true } else { false } }
}

extension CachedQuery {
    /// The work that is left when a load has ended.
    private struct Rest {
        var replaced: Entry<Q>?
        var storing: Storing?
        var isKept = false
        var actions: [Watches<Q>.Action] = []
        var obsolete: Task<Void, any Error>?
        /// A reported value that the load could not replace.
        var doubtful: Value?
    }

    /// Keeps and shows the result of a load, unless it was invalidated, and lets its callers go on.
    func finish(_ end: LoadEnd<Q>) {
        let key = end.key
        let entry = entry(of: end)
        let failure = failure(of: end)
        let rest = state.withLock { state -> Rest in
            let isCurrent = state.loads.end(end.load, of: key)
            guard isCurrent, !isOutdated(end.load) else { return finishOutdated(end, isCurrent: isCurrent, &state) }
            return finishValid(end, entry, failure, &state)
        }
        if rest.isKept, let entry { keep(entry, replacing: rest.replaced, rest.storing, at: end.time) }
        carryOut(rest.actions)
        rest.obsolete?.cancel()
        if let doubtful = rest.doubtful { receive(doubtful, nil, key) }
        // Last, so that callers find the value stored.
        let error = end.cycle ?? end.stale?.error
        end.load.finish(
            end.result.map { ReadResult(loaded: $0, at: end.time, isStale: end.stale != nil, error: error) }
        )
    }

    private func finishValid(
        _ end: LoadEnd<Q>,
        _ entry: Entry<Q>?,
        _ failure: Failure?,
        _ state: inout State
    ) -> Rest {
        let key = end.key
        var rest = Rest()
        rest.doubtful = state.watches.noteLoad(key, succeeded: end.isSuccess)
        guard !isUseless(end) else {
            state.watches[key]?.update { $0.isLoading = false }
            return rest
        }
        // Without a stamp, it is not known whether everything was removed since the load began.
        if entry != nil, let stamp = end.stamp { rest.storing = beginStoring(&state, stamp) }
        switch end.result {
        case .success(let value):
            state.watches[key]?.accept(end.arrival(of: value), end.load.epoch, end.load.tags)
            state.watches[key]?.newestLoad = end.load.number
            rest.obsolete = state.loads.dropReplaced(of: key)
        case .failure(let error): state.watches[key]?.fail(error)
        }
        if end.stale == nil, let entry, state.watches[key]?.needsLoad == true {
            // Without its observers, the changes would be missing from a fresh value.
            entry.markInvalid()
            rest.actions = [state.watches.reload(key, at: core.elapsed())].compactMap(\.self)
        }
        state.loads.note(failure, of: key, at: end.time)
        rest.isKept = entry != nil
        rest.replaced = entry.flatMap { entries.insert($0, hash: key.tableHash) }
        return rest
    }

    /// Whether nobody needs the result of a load.
    private func isUseless(_ end: LoadEnd<Q>) -> Bool {
        guard end.isSuccess else { return end.load.isAbandoned }
        return end.stale != nil && find(end.key.query, end.key.scope, at: end.time)?.freshness.isFresh == true
    }

    /// Shows the value of a load that was invalidated or replaced, and lets observers load again.
    private func finishOutdated(_ end: LoadEnd<Q>, isCurrent: Bool, _ state: inout State) -> Rest {
        let key = end.key
        if isCurrent, end.isForeign {
            // Another load would end in the other scope, too.
            state.watches[key]?.update { $0.isLoading = false }
        } else if isCurrent, let cycle = end.cycle {
            // Another load would invalidate itself, too.
            switch end.result {
            case .success(let value): state.watches[key]?.show(end.arrival(of: value, after: cycle))
            case .failure(let error): state.watches[key]?.fail(error)
            }
            return Rest()
        }
        if !end.isForeign, end.stale == nil, case .success(let value) = end.result, core.removed.isValid(end.load.epoch)
        {
            state.watches[key]?.showOutdated(value, ofLoad: end.load.number, end.load.epoch, at: end.time)
        }
        guard !end.isForeign || !isCurrent, !state.loads.isRunning(key), let watch = state.watches[key],
            watch.needsReload || watch.state.isLoading
        else { return Rest() }
        // An observer that waits for this load must not wait forever.
        return Rest(actions: [state.watches.reload(key, at: core.elapsed())].compactMap(\.self))
    }

    private func entry(of end: LoadEnd<Q>) -> Entry<Q>? {
        guard case .success(let value) = end.result else { return nil }
        let dates = dates(of: value, loaded: end.time)
        let entry = newEntry(end.key, value, dates: dates, epoch: end.load.epoch, tags: end.load.tags)
        if end.stale != nil { entry.markInvalid() }
        return entry
    }

    /// Returns the failure to store, or nil if the policy does not store it.
    private func failure(of end: LoadEnd<Q>) -> Failure? {
        guard case .failure(let error) = end.result, let errors = policy.errors, !end.load.isAbandoned,
            !(error is CancellationError), errors.isCached(error),
            find(end.key.query, end.key.scope, at: end.time)?.freshness.isUsableOnError != true
        else { return nil }
        return Failure(
            error: error,
            dates: StoredDates(loaded: end.time, expires: end.time + errors.age.inSeconds),
            epoch: end.load.epoch,
            tags: end.load.tags
        )
    }
}

extension LoadEnd {
    /// The value for observers, also one that was made from a stale value.
    fileprivate func arrival(of value: Q.Value) -> Arrival<Q.Value> {
        Arrival(
            value: value,
            loaded: time,
            freshness: Freshness(isFresh: stale == nil, isUsableWhileRevalidating: true),
            // It may lack the changes of successful commands.
            epoch: stale == nil ? load.epoch : 0,
            error: stale?.error
        )
    }

    /// The value of a load that has invalidated itself.
    fileprivate func arrival(of value: Q.Value, after cycle: CacheCycle) -> Arrival<Q.Value> {
        Arrival(value: value, loaded: time, freshness: Freshness(), epoch: load.epoch, error: cycle)
    }
}

import Duet
import Synchronization

/// A load whose handler has returned.
struct LoadEnd<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    let load: Load<ReadResult<Q.Value>>
    let key: ScopedQuery<Q>
    let result: Result<Q.Value, any Error>
    /// The version of the cache that the value comes from; nil if it comes from none.
    let source: CacheVersion?
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
        var unconfirmed: Arrival<Value>?
        /// The last epoch in which the value is known to be valid.
        var validEpoch: Epoch
    }

    /// Keeps and shows the result of a load, unless it was invalidated, and lets its callers go on.
    func finish(_ end: LoadEnd<Q>) {
        let key = end.key
        let entry = entry(of: end)
        let failure = failure(of: end)
        let rest = state.withLock { state -> Rest in
            // Read first, so that a value that is invalidated meanwhile has an earlier epoch.
            let epoch = core.epochs.current
            let number = state.loads.nextNumber()
            let isCurrent = state.loads.end(end.load, of: key)
            // A reported value may be newer, so the observer loads once more.
            if isCurrent, state.watches.isDoubtful(end.load.number, end.source, key) { end.load.markInvalid() }
            guard isCurrent, !end.load.isOwnWrite, !isOutdated(end.load) else {
                return finishOutdated(end, isCurrent: isCurrent, at: number, &state)
            }
            return finishValid(end, entry, failure, in: epoch, at: number, &state)
        }
        if rest.isKept, let entry { keep(entry, replacing: rest.replaced, rest.storing, at: end.time) }
        carryOut(rest.actions)
        rest.obsolete?.cancel()
        if let report = rest.unconfirmed { receive(report.value, report.source, key) }
        // Last, so that callers find the value stored.
        let error = end.cycle ?? end.stale?.error
        end.load.finish(
            end.result.map { value in
                var result = ReadResult(
                    value: value,
                    loaded: end.time,
                    isStale: end.stale != nil || error != nil,
                    error: error,
                    version: end.load.isLate ? nil : core.version(at: rest.validEpoch)
                )
                if rest.isKept { result.kept = entry.map { KeptValue($0, in: self) } }
                return result
            }
        )
    }

    private func finishValid(
        _ end: LoadEnd<Q>,
        _ entry: Entry<Q>?,
        _ failure: Failure?,
        in epoch: Epoch,
        at number: Int,
        _ state: inout State
    ) -> Rest {
        let key = end.key
        // A value that was made from a stale one may lack any change.
        var rest = Rest(validEpoch: end.stale == nil ? epoch : 0)
        rest.unconfirmed = state.watches.noteLoad(key, succeeded: end.isSuccess, at: number)
        guard !isDiscarded(end, state.watches[key]) else {
            state.watches[key]?.update { $0.isLoading = false }
            return rest
        }
        // Without a stamp, it is not known whether everything was removed since the load began.
        if entry != nil, let stamp = end.stamp { rest.storing = beginStoring(&state, stamp) }
        rest.isKept = entry != nil
        state.loads.note(failure, of: key, at: end.time)
        switch end.result {
        case .success(let value):
            var arrival = end.arrival(of: value, in: rest.validEpoch)
            arrival.kept = entry.map { KeptValue($0, in: self) }
            let shown = state.watches[key].map { shows(end, $0) } == true ? arrival : nil
            let needsLoad = end.stale == nil && state.watches[key]?.needsLoad(after: shown) == true
            // Without its observers, the changes would be missing from a fresh value.
            if needsLoad { entry?.markInvalid() }
            // Before observers see the value, who may read it again.
            rest.replaced = entry.flatMap { entries.insert($0, hash: key.tableHash) }
            if let shown {
                state.watches[key]?.accept(shown, end.load.epoch, end.load.tags, at: number)
            } else {
                state.watches[key]?.keepStale(arrival.error)
            }
            rest.obsolete = state.loads.dropReplaced(of: key)
            if needsLoad { rest.actions = [state.watches.reload(key, at: core.elapsed())].compactMap(\.self) }
        case .failure(let error):
            state.watches[key]?.fail(error)
            if core.data.isTracking { state.watches[key]?.noteFailure(end.load.epoch, end.load.tags, isInvalidated) }
        }
        return rest
    }

    /// Whether observers see the value of a load: not if it is known to be older, or was made from an older one.
    private func shows(_ end: LoadEnd<Q>, _ watch: Watch<Value>) -> Bool {
        watch.order(of: end.source, began: end.load.number) != .older && (end.stale == nil || !watch.isOutdated)
    }

    /// Whether nobody needs the result of a load, or memory has a better one.
    private func isDiscarded(_ end: LoadEnd<Q>, _ watch: Watch<Value>?) -> Bool {
        guard end.isSuccess else { return end.load.isAbandoned }
        if let watch, !watch.state.isStale, watch.order(of: end.source, began: end.load.number) == .older {
            return true
        }
        guard end.stale != nil, let found = find(end.key, at: end.time) else { return false }
        return found.freshness.isFresh || end.source?.isOlder(than: found.entry.source) == true
    }

    /// Shows the value of a load that was invalidated or replaced, and lets observers load again.
    private func finishOutdated(_ end: LoadEnd<Q>, isCurrent: Bool, at number: Int, _ state: inout State) -> Rest {
        let key = end.key
        var rest = Rest(validEpoch: end.stale == nil ? end.load.epoch : 0)
        if isCurrent, end.isForeign {
            // Another load would end in the other scope, too.
            state.watches[key]?.update { $0.isLoading = false }
        } else if isCurrent, end.load.isOwnWrite || end.cycle ?? state.watches[key]?.cycle != nil {
            // Another load would be invalidated, too.
            let cycle = end.cycle ?? state.watches[key]?.cycle
            if end.load.isOwnWrite { state.watches[key]?.note(core.epochs.current, end.load.tags) }
            switch end.result {
            case .success(let value): state.watches[key]?.show(end.arrival(of: value, after: cycle), at: number)
            case .failure(let error): state.watches[key]?.fail(error)
            }
            return rest
        }
        if !end.isForeign, !end.load.isLate, end.stale == nil, case .success(let value) = end.result,
            core.removed.isValid(end.load.epoch),
            state.watches[key]?.order(of: end.source, began: end.load.number) == .newer
        {
            state.watches[key]?.show(end.outdatedArrival(of: value), at: number)
        }
        guard !end.isForeign || !isCurrent, !state.loads.isRunning(key), let watch = state.watches[key],
            watch.cycle == nil, watch.needsReload || watch.state.isLoading
        else { return rest }
        // An observer that waits for this load must not wait forever.
        rest.actions = [state.watches.reload(key, at: core.elapsed())].compactMap(\.self)
        return rest
    }

    private func entry(of end: LoadEnd<Q>) -> Entry<Q>? {
        guard case .success(let value) = end.result else { return nil }
        let (epoch, tags) = (end.load.epoch, end.load.tags)
        if policy.isTracked, let door = tags.door { core.report(door, of: name) }
        let dates = dates(of: value, loaded: end.time, tags)
        let entry = newEntry(end.key, value, dates: dates, epoch: epoch, tags: tags, source: end.source)
        if end.stale != nil { entry.markInvalid() }
        return entry
    }

    /// Returns the failure to store, or nil if the policy does not store it.
    private func failure(of end: LoadEnd<Q>) -> Failure? {
        guard case .failure(let error) = end.result, let errors = policy.errors, !end.load.isAbandoned,
            !(error is CancellationError), errors.isCached(error),
            find(end.key, at: end.time)?.freshness.isUsableOnError != true
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
    fileprivate func arrival(of value: Q.Value, in validEpoch: Epoch) -> Arrival<Q.Value> {
        Arrival(
            value: value,
            loaded: time,
            freshness: Freshness(isFresh: stale == nil, isUsableWhileRevalidating: true),
            // It may lack the changes of successful commands.
            epoch: stale == nil ? load.epoch : 0,
            validEpoch: validEpoch,
            source: source,
            error: stale?.error
        )
    }

    /// The value of a load that was invalidated before it ended, while a newer one is being loaded.
    fileprivate func outdatedArrival(of value: Q.Value) -> Arrival<Q.Value> {
        Arrival(
            value: value,
            loaded: time,
            freshness: Freshness(isUsableWhileRevalidating: true),
            epoch: load.epoch,
            source: source,
            isLoading: true,
            outdatedLoad: load.number
        )
    }

    /// The value of a load that has invalidated itself.
    fileprivate func arrival(of value: Q.Value, after cycle: CacheCycle?) -> Arrival<Q.Value> {
        Arrival(value: value, loaded: time, freshness: Freshness(), epoch: load.epoch, source: source, error: cycle)
    }
}

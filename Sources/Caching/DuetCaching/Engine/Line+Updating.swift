import Duet
import Synchronization

/// The change of a running command to the values of one scope.
struct RunningUpdate<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    let id: Int
    let scope: String?
    let update: @Sendable (inout Q.Value, Q) -> Void

    func layer(for query: Q) -> OptimisticLayers<Q.Value>.Layer {
        OptimisticLayers.Layer(id: id) { [update] value in update(&value, query) }
    }

    /// Returns the value with the change, or nil for a value that stays as it is.
    func changed(_ value: Q.Value, of query: Q) -> Q.Value? {
        var changed = value
        update(&changed, query)
        return areEqual(changed, value) == true ? nil : changed
    }
}

/// A reference to the change of a running command in the line of one query.
struct RunningUpdateID: Sendable {
    fileprivate let line: any AnyLine
    fileprivate let id: Int

    /// Withdraws the change of a failed command.
    func end() { line.endUpdate(id) }

    /// Keeps the change of a successful command until a load that began after an epoch has succeeded, also in the stale
    /// values that replace a failed load.
    ///
    /// - Parameters:
    ///   - epoch: The epoch.
    ///   - isCertain: Whether the command has succeeded; otherwise a failed load ends the change, too.
    ///   - version: The version that the command has led to elsewhere, which ends the change when it is reported.
    func confirm(at epoch: Epoch, isCertain: Bool, _ version: CacheVersion?) {
        line.confirmUpdate(id, at: epoch, isCertain: isCertain, version)
    }
}

extension Line {
    /// Shows a change to all observers in the scope of the current task, and to those that come while it runs.
    ///
    /// The change of a client that shares its scope with others is not shown: its command may be refused, or be the
    /// repeat of one whose effect is gone.
    func beginUpdate(_ update: @escaping @Sendable (inout Value, Q) -> Void) -> RunningUpdateID? {
        guard rule.scope.showsUnconfirmedChanges else { return nil }
        let scope = rule.scope.current
        return state.withLock { state in
            state.lastUpdate += 1
            let running = RunningUpdate(id: state.lastUpdate, scope: scope, update: update)
            state.updates.append(running)
            for key in state.watches.keys where key.scope == scope {
                state.watches[key]?.add(running.layer(for: key.query))
            }
            return RunningUpdateID(line: self, id: running.id)
        }
    }

    func endUpdate(_ id: Int) {
        state.withLock { state in
            state.updates.removeAll { $0.id == id }
            for key in state.watches.keys { state.watches[key]?.removeLayer(id) }
        }
    }

    func confirmUpdate(_ id: Int, at epoch: Epoch, isCertain: Bool, _ version: CacheVersion?) {
        let (running, changed, mark) = state.withLock { state in
            var lacking: Set<Q> = []
            let running = state.updates.first { isCertain && $0.id == id }
            state.updates.removeAll { $0.id == id }
            for (key, watch) in state.watches {
                if state.followers[key]?.hasReported(version) == true {
                    state.watches[key]?.removeLayer(id)
                    continue
                }
                // Another task may have begun to load invalidated values since the epoch.
                let isInvalidated =
                    watch.isMarkedInvalid || watch.epoch >= epoch || isInvalidated(watch.epoch, watch.tags)
                state.watches[key]?.confirmLayer(id, at: epoch, isCertain, version, isInvalidated: isInvalidated)
                guard !isInvalidated, state.watches[key]?.isMarkedInvalid == true else { continue }
                // Without its observers, the change would be missing from a fresh value.
                entries.entry(hash: key.tableHash, query: key.query, scope: key.scope)?.markInvalid()
                lacking.insert(key.query)
            }
            state.confirmations += 1
            let mark = lacking.isEmpty ? nil : markStored(&state, at: epoch) { [lacking] in lacking.contains($0) }
            return (running, running.map(replaceStaleEntries) ?? [], mark)
        }
        for (old, new) in changed {
            core.order.remove(CollectionOfOne(old))
            core.evict(core.order.insert(new, at: core.seconds))
        }
        mark?()
        if let running { updateStored(running) }
    }

    /// Makes the change of a successful command in the stale values in memory.
    private func replaceStaleEntries(by running: RunningUpdate<Q>) -> [(old: Entry<Q>, new: Entry<Q>)] {
        var stale: [Entry<Q>] = []
        entries.forEach { if $0.scope == running.scope, isInvalidated($0) { stale.append($0) } }
        return stale.compactMap { old in
            guard let value = running.changed(old.value, of: old.query) else { return nil }
            let new = newEntry(
                ScopedQuery(query: old.query, scope: old.scope),
                value,
                StoredDates(loaded: old.loaded, expires: old.expires),
                old.epoch,
                old.tags
            )
            new.markInvalid()
            return entries.insert(new, hash: old.hash).map { ($0, new) }
        }
    }
}

extension Line.State {
    /// The changes of running commands to the value of a query.
    func layers(of key: ScopedQuery<Q>) -> OptimisticLayers<Q.Value> {
        let shown = updates.filter { $0.scope == key.scope }
        return OptimisticLayers(layers: shown.map { $0.layer(for: key.query) })
    }
}

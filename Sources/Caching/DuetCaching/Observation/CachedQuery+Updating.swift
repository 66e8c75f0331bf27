import Duet
import Synchronization

/// A reference to the change of a running command in the values of one query.
struct CommandUpdateID {
    fileprivate weak let query: (any AnyCachedQuery)?
    fileprivate let id: Int

    /// Withdraws the change of a failed command.
    func end() { query?.endUpdate(id) }

    func noteCommit() { query?.noteCommit(ofUpdate: id) }

    /// Keeps the change of a successful command until a load that began afterward has succeeded, also in the stale
    /// values that replace a failed load.
    func confirm(by success: CommandSuccess) { query?.confirmUpdate(id, by: success) }
}

extension CachedQuery {
    /// Shows a change to all observers in the scope of the current task, and to those that come while it runs.
    ///
    /// The change of a client that shares its scope with others is not shown: its command may be refused, or be the
    /// repeat of one whose effect is gone.
    func beginUpdate(_ update: @escaping @Sendable (inout Value, Q) -> Void) -> CommandUpdateID? {
        guard rule.scope.showsUnconfirmedChanges else { return nil }
        let scope = rule.scope.current
        return CommandUpdateID(query: self, id: state.withLock { $0.watches.begin(update, in: scope) })
    }

    func noteCommit(ofUpdate id: Int) {
        let epoch = core.epochs.current
        state.withLock { $0.watches.noteCommit(of: id, at: epoch) }
    }

    func endUpdate(_ id: Int) { state.withLock { $0.watches.end(id) } }

    func confirmUpdate(_ id: Int, by success: CommandSuccess) {
        let (change, replaced, mark) = state.withLock { state in
            let (change, lacking) = state.watches.confirm(id, by: success, isInvalidated: isInvalidated)
            // Without its observers, the change would be missing from a fresh value.
            for key in lacking { entry(of: key)?.markInvalid() }
            let queries = Set(lacking.map(\.query))
            let mark = queries.isEmpty ? nil : markStored(&state, at: success.epoch) { queries.contains($0) }
            return (change, change.map(replaceStaleEntries) ?? [], mark)
        }
        for (old, new) in replaced {
            core.order.remove(CollectionOfOne(old))
            core.evict(core.order.insert(new, at: core.seconds))
        }
        mark?()
        if let change { updateStored(change) }
    }

    /// Makes the change of a successful command in the stale values in memory.
    private func replaceStaleEntries(by change: CommandUpdate<Q>) -> [(old: Entry<Q>, new: Entry<Q>)] {
        var stale: [Entry<Q>] = []
        entries.forEach { if $0.scope == change.scope, isInvalidated($0) { stale.append($0) } }
        return stale.compactMap { old in
            guard let value = change.changed(old.value, of: old.query) else { return nil }
            let new = newEntry(
                ScopedQuery(query: old.query, scope: old.scope),
                value,
                dates: StoredDates(loaded: old.loaded, expires: old.expires),
                epoch: old.epoch,
                tags: old.tags,
                source: old.source
            )
            new.markInvalid()
            return entries.insert(new, hash: old.hash).map { ($0, new) }
        }
    }
}

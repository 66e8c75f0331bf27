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
}

/// A reference to the change of a running command in the line of one query.
struct RunningUpdateID: Sendable {
    fileprivate let line: any AnyLine
    fileprivate let id: Int

    /// Withdraws the change of a failed command.
    func end() { line.endUpdate(id) }

    /// Keeps the change of a successful command until a load that began after an epoch has ended.
    func confirm(at epoch: Epoch) { line.confirmUpdate(id, at: epoch) }
}

extension Line {
    /// Shows a change to all observers in the scope of the current task, and to those that come while it runs.
    func beginUpdate(_ update: @escaping @Sendable (inout Value, Q) -> Void) -> RunningUpdateID {
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

    func confirmUpdate(_ id: Int, at epoch: Epoch) {
        state.withLock { state in
            state.updates.removeAll { $0.id == id }
            for (key, watch) in state.watches {
                // Another task may have begun to load invalidated values since the epoch.
                let isInvalidated =
                    watch.isMarkedInvalid || watch.epoch >= epoch || isInvalidated(watch.epoch, watch.tags)
                state.watches[key]?.confirmLayer(id, at: epoch, isInvalidated: isInvalidated)
            }
        }
    }
}

extension Line.State {
    /// The changes of running commands to the value of a query.
    func layers(of key: ScopedQuery<Q>) -> OptimisticLayers<Q.Value> {
        OptimisticLayers(updates.filter { $0.scope == key.scope }.map { $0.layer(for: key.query) })
    }
}

import Duet
import Synchronization

/// The forms of values in a memory with a limit of entries, of which the oldest make room for new ones.
final class FormMemory: Sendable {
    private struct Reference {
        let id: ObjectIdentifier
        weak var forms: ValueForms?
    }

    private struct State {
        var size = 0
        /// Those that have grown, by the order in which they did so first.
        var grown: [Int: Reference] = [:]
        var places: [ObjectIdentifier: Int] = [:]
        var (first, last) = (0, 0)
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes a change of the size of forms, which are nil when they are released.
    func note(_ change: Int, of id: ObjectIdentifier, _ forms: ValueForms?) {
        state.withLock { state in
            state.size += change
            if forms == nil, let place = state.places.removeValue(forKey: id) {
                state.grown[place] = nil
            } else if change > 0, state.places[id] == nil {
                state.grown[state.last] = Reference(id: id, forms: forms)
                state.places[id] = state.last
                state.last += 1
            }
        }
        // Forms are used without the lock, which they need when they are released.
        while change > 0, let oldest = takeOldest() { oldest.forms?.removeAll() }
    }

    /// Takes the oldest forms, if there are too many.
    private func takeOldest() -> Reference? {
        state.withLock { state in
            guard state.size > limit else { return nil }
            while state.first < state.last {
                state.first += 1
                guard let oldest = state.grown.removeValue(forKey: state.first - 1) else { continue }
                state.places[oldest.id] = nil
                return oldest
            }
            return nil
        }
    }
}

extension CacheCore {
    /// Returns the forms of an entry that has none yet.
    ///
    /// With a limit by weight, they are part of the weight of the entry.
    func newForms(of entry: some Evictable, isPersonal: Bool) -> ValueForms {
        // The entry owns its forms.
        ValueForms(isPersonal: isPersonal) { [weak self, weak entry] change, id, forms in
            guard let self else { return }
            if order.limit.countsEntries { return self.forms.note(change, of: id, forms) }
            guard let entry else { return }
            guard let victims = order.addWeight(change, to: entry) else { return forms?.removeAll() ?? () }
            evict(victims)
        }
    }
}

import Duet
import Synchronization

/// The forms of values in a memory with a limit of entries, of which the oldest make room for new ones.
final class FormMemory: Sendable {
    private struct Reference {
        let order: Int
        weak var forms: ValueForms?
    }

    private let limit: Int
    private let state = Mutex<(size: Int, count: Int, grown: [ObjectIdentifier: Reference])>((0, 0, [:]))

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes a change of the size of forms, which are nil when they are released.
    func note(_ change: Int, of id: ObjectIdentifier, _ forms: ValueForms?) {
        let oldest = state.withLock { state in
            state.size += change
            if forms == nil { state.grown[id] = nil }
            if change > 0, state.grown[id] == nil {
                state.count += 1
                state.grown[id] = Reference(order: state.count, forms: forms)
            }
            guard state.size > limit else { return [Reference]() }
            // Half of them at once, because they must be sorted.
            let oldest = state.grown.sorted { $0.value.order < $1.value.order }.prefix(max(1, state.grown.count / 2))
            for (id, _) in oldest { state.grown[id] = nil }
            return oldest.map(\.value)
        }
        // Forms are used without the lock, which they need when they are released.
        for reference in oldest { reference.forms?.removeAll() }
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

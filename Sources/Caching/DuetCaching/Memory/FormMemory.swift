import Duet
import Synchronization

/// The forms of values in a memory with a limit of entries, of which the oldest make room for new ones.
final class FormMemory: Sendable {
    /// Not a structure: Swift 6.3.1 corrupts those of a dictionary that have a weak reference and another member.
    private final class Reference: Sendable {
        weak let forms: ValueForms?

        init(_ forms: ValueForms?) {
            self.forms = forms
        }
    }

    private let limit: Int
    /// With the order in which forms have grown first.
    private let state = Mutex<(size: Int, count: Int, grown: [ObjectIdentifier: (Int, Reference)])>((0, 0, [:]))

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
                state.grown[id] = (state.count, Reference(forms))
            }
            return change > 0 && state.size > limit ? state.grown.sorted { $0.value.0 < $1.value.0 } : []
        }
        // An eighth of them at once, because they had to be sorted. Forms are used without the lock, which they need
        // when they are released.
        for (index, (id, (_, reference))) in oldest.enumerated()
        where index < oldest.count / 8 || state.withLock({ $0.size > limit }) {
            state.withLock { $0.grown[id] = nil }
            reference.forms?.removeAll()
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

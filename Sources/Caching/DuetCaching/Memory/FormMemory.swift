import Duet
import Synchronization

/// The forms of values in a memory with a limit of entries, of which the oldest make room for new ones.
final class FormMemory: Sendable {
    fileprivate struct Reference {
        weak var forms: ValueForms?
    }

    fileprivate struct State {
        var size = 0
        /// Those that have grown, the oldest first.
        var grown: [Reference] = []
        /// The number of references at which those to nothing are removed.
        var referenceLimit = 64
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes a change of the size of forms, which are nil when they are released.
    func note(_ change: Int, of forms: ValueForms?) {
        let oldest = state.withLock { state in
            state.size += change
            if change > 0, let forms { state.add(Reference(forms: forms)) }
            var (size, count) = (state.size, 0)
            while size > limit, count < state.grown.count {
                size -= state.grown[count].forms?.size ?? 0
                count += 1
            }
            defer { state.grown.removeFirst(count) }
            return state.grown.prefix(count).compactMap(\.forms)
        }
        for forms in oldest { forms.removeAll() }
    }
}

extension FormMemory.State {
    fileprivate mutating func add(_ reference: FormMemory.Reference) {
        if grown.count >= referenceLimit {
            grown.removeAll { $0.forms == nil }
            referenceLimit = max(64, grown.count * 2)
        }
        grown.append(reference)
    }
}

extension CacheCore {
    /// Returns the forms of an entry that has none yet.
    ///
    /// With a limit by weight, they are part of the weight of the entry.
    func newForms(of entry: some Evictable, isPersonal: Bool) -> ValueForms {
        // The entry owns its forms.
        ValueForms(isPersonal: isPersonal) { [weak self, weak entry] change, forms in
            guard let self else { return }
            if order.limit.countsEntries { return self.forms.note(change, of: forms) }
            guard let entry else { return }
            guard let victims = order.addWeight(change, to: entry) else { return forms?.removeAll() ?? () }
            evict(victims)
        }
    }
}

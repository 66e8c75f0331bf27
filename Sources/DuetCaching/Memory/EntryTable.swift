import Duet

/// Finds entries by key: a hash table with open addressing, linear probing and backward-shift deletion.
///
/// The hash is computed once, before the table's lock is taken, and the key exists only in the entry. A `Dictionary` would hash
/// the key again under the lock and keep a second copy of it.
struct EntryTable<Q: Query & Hashable> where Q.Value: Sendable {
    private var slots: [Entry<Q>?] = []
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }

    var entries: some Sequence<Entry<Q>> { slots.lazy.compactMap(\.self) }

    func entry(hash: Int, query: Q, scope: String?) -> Entry<Q>? {
        guard count > 0 else { return nil }
        var index = hash & mask
        while let entry = slots[index] {
            if entry.hash == hash, entry.key.query == query, entry.key.scope == scope { return entry }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Adds an entry, and returns the one that it replaces.
    mutating func insert(_ entry: Entry<Q>) -> Entry<Q>? {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        var index = entry.hash & mask
        while let other = slots[index] {
            if other.hash == entry.hash, other.key == entry.key {
                slots[index] = entry
                return other
            }
            index = (index + 1) & mask
        }
        slots[index] = entry
        count += 1
        return nil
    }

    /// Removes an entry; false if it is not in the table anymore.
    mutating func remove(_ entry: Entry<Q>) -> Bool {
        guard count > 0 else { return false }
        var index = entry.hash & mask
        while let other = slots[index], other !== entry { index = (index + 1) & mask }
        guard slots[index] != nil else { return false }
        slots[index] = nil
        count -= 1
        guard count > 0 else {
            slots = []
            return true
        }
        closeGap(index)
        return true
    }

    mutating func removeAll() -> [Entry<Q>] {
        let entries = Array(entries)
        self = EntryTable()
        return entries
    }

    /// Moves later entries of a run forward, so that a search never stops at the gap before its entry.
    private mutating func closeGap(_ start: Int) {
        var gap = start
        var index = (gap + 1) & mask
        while let entry = slots[index] {
            let home = entry.hash & mask
            if (index - home) & mask >= (index - gap) & mask {
                slots[gap] = entry
                slots[index] = nil
                gap = index
            }
            index = (index + 1) & mask
        }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: max(8, old.count * 2))
        for case let entry? in old {
            var index = entry.hash & mask
            while slots[index] != nil { index = (index + 1) & mask }
            slots[index] = entry
        }
    }
}

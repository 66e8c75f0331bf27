/// The fingerprints of recently evicted entries, from which the oldest is removed first.
///
/// A ring has the fingerprints in order. A hash table with linear probing has their positions in the ring. Together
/// they take about ten bytes for each fingerprint, a third of a `Dictionary`.
struct GhostList: Sendable {
    private static let empty = UInt32.max

    private var ring: [UInt32] = []
    /// The next position in the ring.
    private var next = 0
    private var slots: [UInt32] = []

    /// Adds a fingerprint.
    ///
    /// - Parameters:
    ///   - fingerprint: The fingerprint.
    ///   - limit: The number of fingerprints to keep. The list grows to a larger limit, and ignores a smaller one.
    mutating func insert(_ fingerprint: UInt32, limit: Int) {
        if next == ring.count, ring.count >= max(1, limit) { next = 0 }
        if next == ring.count {
            ring.append(fingerprint)
            if ring.count * 3 > slots.count * 2 { grow(for: limit) }
        } else {
            if let slot = slot(of: ring[next], where: { $0 == next }) { closeGap(slot) }
            ring[next] = fingerprint
        }
        addToTable(next)
        next += 1
    }

    /// Removes a fingerprint, and returns whether it was in the list.
    mutating func remove(_ fingerprint: UInt32) -> Bool {
        guard let slot = slot(of: fingerprint, where: { ring[$0] == fingerprint }) else { return false }
        closeGap(slot)
        return true
    }

    /// The slot at which the search for a fingerprint begins.
    ///
    /// It is the fingerprint as a fraction, times the number of slots.
    private func home(_ fingerprint: UInt32) -> Int {
        Int((UInt64(fingerprint) * UInt64(slots.count)) >> 32)
    }

    private func after(_ slot: Int) -> Int { slot + 1 == slots.count ? 0 : slot + 1 }

    /// The number of slots from one to another.
    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + slots.count
    }

    private func slot(of fingerprint: UInt32, where isSought: (_ position: Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = home(fingerprint)
        while slots[slot] != Self.empty {
            if isSought(Int(slots[slot])) { return slot }
            slot = after(slot)
        }
        return nil
    }

    private mutating func addToTable(_ position: Int) {
        var slot = home(ring[position])
        while slots[slot] != Self.empty { slot = after(slot) }
        slots[slot] = UInt32(position)
    }

    /// Empties a slot, and moves later positions of a run forward, so that a search never stops before its position.
    private mutating func closeGap(_ start: Int) {
        var gap = start
        var slot = after(gap)
        while slots[slot] != Self.empty {
            let home = home(ring[Int(slots[slot])])
            if distance(from: home, to: slot) >= distance(from: gap, to: slot) {
                slots[gap] = slots[slot]
                gap = slot
            }
            slot = after(slot)
        }
        slots[gap] = Self.empty
    }

    /// Makes the table one and a half times as large as the ring will be.
    private mutating func grow(for limit: Int) {
        let positions = slots.filter { $0 != Self.empty }
        let count = max(8, limit * 3 / 2 + 2, slots.count * 5 / 4)
        slots = Array(repeating: Self.empty, count: count)
        for position in positions { addToTable(Int(position)) }
    }
}

/// Evicts the entries that were not read since a hand last passed them.
///
/// Entries stay in the order in which they were added. A hand moves from old entries to new ones. It spares those that
/// were read, and evicts the first one that was not.
///
/// The algorithm is SIEVE (Zhang et al., "SIEVE is simpler than LRU", NSDI 2024).
public struct SIEVEPolicy: EvictionPolicy {
    private var links = IDLinks()
    private var queue = IDQueue()
    private var wasRead: [Bool] = []
    /// The entry to look at next; nil for the oldest one.
    private var hand: Int?

    /// Creates a policy; the capacity does not matter.
    public init(capacity: Int) {}

    /// Adds an entry as the newest one.
    public mutating func insert(_ id: Int, hash: Int, weight: Int) {
        while wasRead.count <= id { wasRead.append(false) }
        wasRead[id] = false
        queue.append(id, weight: 0, &links)
    }

    /// Removes an entry.
    public mutating func remove(_ id: Int) {
        if hand == id { hand = queue.next(after: id, links) }
        queue.remove(id, weight: 0, &links)
    }

    /// Spares an entry the next time that the hand passes.
    public mutating func use(_ id: Int, count: Int) {
        wasRead[id] = true
    }

    /// Moves the hand to an entry that was not read, and removes that entry.
    public mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        guard !queue.isEmpty else { return nil }
        var id = hand ?? queue.first
        while wasRead[id] || uses(id) > 0 {
            wasRead[id] = false
            // The count starts again as well.
            _ = uses(id)
            id = queue.next(after: id, links) ?? queue.first
        }
        hand = id
        remove(id)
        return id
    }
}

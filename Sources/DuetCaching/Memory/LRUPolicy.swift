/// Evicts the least recently used entry.
///
/// A program that reads more entries in a loop than fit gets no hits from this policy.
public struct LRUPolicy: EvictionPolicy {
    private var links = IDLinks()
    private var queue = IDQueue()

    /// Creates a policy; the capacity does not matter.
    public init(capacity: Int) {}

    /// The least recently used entry.
    var oldest: Int? { queue.isEmpty ? nil : queue.first }

    var count: Int { queue.count }

    /// The entry that was used next after another one.
    func next(after id: Int) -> Int? { queue.next(after: id, links) }

    /// Adds an entry as the most recently used one.
    public mutating func insert(_ id: Int, hash: Int, weight: Int) {
        queue.append(id, weight: 0, &links)
    }

    /// Removes an entry.
    public mutating func remove(_ id: Int) {
        queue.remove(id, weight: 0, &links)
    }

    /// Makes an entry the most recently used one.
    public mutating func use(_ id: Int, count: Int) {
        guard id != queue.last else { return }
        queue.remove(id, weight: 0, &links)
        queue.append(id, weight: 0, &links)
    }

    /// Removes the least recently used entry.
    ///
    /// An entry with unreported reads counts as used now.
    public mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        while let id = oldest {
            let count = uses(id)
            guard count > 0 else {
                remove(id)
                return id
            }
            use(id, count: count)
        }
        return nil
    }
}

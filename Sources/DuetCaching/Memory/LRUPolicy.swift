/// Evicts the entry that was not used for the longest time.
public struct LRUPolicy: EvictionPolicy {
    private var links = IDLinks()
    private var queue = IDQueue()

    /// Creates a policy; the capacity does not matter.
    public init(capacity: Int) {}

    /// Each read changes the order.
    public static var needsEveryUse: Bool { true }

    /// Adds an entry as the one used last.
    public mutating func insert(_ id: Int, hash: Int, weight: Int) {
        queue.append(id, weight: weight, &links)
    }

    /// Removes an entry.
    public mutating func remove(_ id: Int) {
        queue.remove(id, weight: 0, &links)
    }

    /// Makes an entry the one used last.
    public mutating func use(_ id: Int) {
        guard id != queue.last else { return }
        queue.remove(id, weight: 0, &links)
        queue.append(id, weight: 0, &links)
    }

    /// Removes the least recently used entry.
    public mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        guard !queue.isEmpty else { return nil }
        let id = queue.first
        remove(id)
        return id
    }
}

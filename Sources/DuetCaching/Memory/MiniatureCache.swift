/// A cache without values that counts the hits of a policy.
struct MiniatureCache<Policy: EvictionPolicy>: Sendable {
    private struct Item {
        var fingerprint: UInt32
        var weight: Int
    }

    private let capacity: Int
    private var policy: Policy
    private var ids: [UInt32: Int] = [:]
    private var items: [Item] = []
    private var free: [Int] = []
    private var weight = 0

    init(capacity: Int, _ policy: Policy) {
        self.capacity = capacity
        self.policy = policy
    }

    /// Reads a key, and adds it if it is missing.
    ///
    /// - Returns: Whether the key was found.
    mutating func access(_ fingerprint: UInt32, weight: Int, count: Int) -> Bool {
        if let id = ids[fingerprint] {
            policy.use(id, count: count)
            return true
        }
        guard weight <= capacity else { return false }
        while self.weight + weight > capacity, let victim = policy.evict(uses: { _ in 0 }) { forget(victim) }
        let item = Item(fingerprint: fingerprint, weight: weight)
        let id = free.popLast() ?? items.count
        if id < items.count { items[id] = item } else { items.append(item) }
        ids[fingerprint] = id
        self.weight += weight
        policy.insert(id, hash: Int(fingerprint), weight: weight)
        return false
    }

    mutating func remove(_ fingerprint: UInt32) {
        guard let id = ids[fingerprint] else { return }
        policy.remove(id)
        forget(id)
    }

    private mutating func forget(_ id: Int) {
        ids[items[id].fingerprint] = nil
        weight -= items[id].weight
        free.append(id)
    }
}

import DuetCaching
import DuetTesting

/// The entries of a policy, with which each of its choices is checked.
struct PolicyModel {
    private(set) var policy: any EvictionPolicy
    let capacity: Int
    private(set) var weights: [Int: Int] = [:]
    private(set) var weight = 0
    /// The uses that were not reported.
    var unreported: [Int: Int] = [:]

    init(_ type: any EvictionPolicy.Type, capacity: Int) {
        policy = type.init(capacity: capacity)
        self.capacity = capacity
    }

    /// Adds an entry.
    ///
    /// - Returns: The evicted entries; nil if the policy chose a missing entry or none.
    mutating func insert(_ id: Int, hash: Int? = nil, weight: Int = 1) -> [Int]? {
        var victims: [Int] = []
        while self.weight + weight > capacity {
            guard let victim = evict() else { return nil }
            victims.append(victim)
        }
        weights[id] = weight
        self.weight += weight
        policy.insert(id, hash: hash ?? scattered(id), weight: weight)
        return victims
    }

    mutating func evict() -> Int? {
        var unreported = unreported
        let victim = policy.evict { unreported.removeValue(forKey: $0) ?? 0 }
        self.unreported = unreported
        guard let victim, let weight = weights.removeValue(forKey: victim) else { return nil }
        self.weight -= weight
        self.unreported[victim] = nil
        return victim
    }

    mutating func use(_ id: Int, count: Int = 1) { policy.use(id, count: count) }

    mutating func remove(_ id: Int) {
        weight -= weights.removeValue(forKey: id) ?? 0
        unreported[id] = nil
        policy.remove(id)
    }

    /// Reads keys in order, adds those that are missing, and returns the share of hits.
    static func hitRatio(_ type: any EvictionPolicy.Type, capacity: Int, keys: [Int]) -> Double {
        var policy = type.init(capacity: capacity)
        var ids: [Int: Int] = [:]
        var owners: [Int] = []
        var hits = 0
        for key in keys {
            if let id = ids[key] {
                hits += 1
                policy.use(id, count: 1)
                continue
            }
            var id = owners.count
            if ids.count == capacity, let victim = policy.evict(uses: { _ in 0 }) {
                ids[owners[victim]] = nil
                owners[victim] = key
                id = victim
            } else {
                owners.append(key)
            }
            ids[key] = id
            policy.insert(id, hash: scattered(key), weight: 1)
        }
        return Double(hits) / Double(keys.count)
    }
}

/// A hash that is the same in each run.
func scattered(_ key: Int) -> Int {
    var generator = SeededGenerator(seed: UInt64(bitPattern: Int64(key)))
    return Int(truncatingIfNeeded: generator.next())
}

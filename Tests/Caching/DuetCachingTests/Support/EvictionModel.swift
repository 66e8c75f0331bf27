import DuetCaching
import DuetTesting

/// The entries of eviction queues, with which each of their choices is checked.
struct EvictionModel {
    private(set) var queues: EvictionQueues
    let capacity: Int
    private(set) var weights: [Int: Int] = [:]
    private(set) var weight = 0
    /// The uses that were not reported.
    var unreported: [Int: Int] = [:]

    init(capacity: Int) {
        queues = EvictionQueues(capacity: capacity)
        self.capacity = capacity
    }

    /// Adds an entry.
    ///
    /// - Returns: The evicted entries; nil if the queues chose a missing entry or none.
    mutating func insert(_ id: Int, hash: Int? = nil, weight: Int = 1) -> [Int]? {
        var victims: [Int] = []
        while self.weight + weight > capacity {
            guard let victim = evict() else { return nil }
            victims.append(victim)
        }
        weights[id] = weight
        self.weight += weight
        queues.insert(id, hash: hash ?? scattered(id), weight: weight)
        return victims
    }

    mutating func evict() -> Int? {
        var unreported = unreported
        let victim = queues.evict { unreported.removeValue(forKey: $0) ?? 0 }
        self.unreported = unreported
        guard let victim, let weight = weights.removeValue(forKey: victim) else { return nil }
        self.weight -= weight
        self.unreported[victim] = nil
        return victim
    }

    mutating func use(_ id: Int, count: Int = 1) { queues.use(id, count: count) }

    mutating func remove(_ id: Int) {
        weight -= weights.removeValue(forKey: id) ?? 0
        unreported[id] = nil
        queues.remove(id)
    }

    /// Reads keys in order, adds those that are missing, and returns the share of hits.
    static func hitRatio(capacity: Int, keys: [Int]) -> Double {
        var queues = EvictionQueues(capacity: capacity)
        var ids: [Int: Int] = [:]
        var owners: [Int] = []
        var hits = 0
        for key in keys {
            if let id = ids[key] {
                hits += 1
                queues.use(id, count: 1)
                continue
            }
            var id = owners.count
            if ids.count == capacity, let victim = queues.evict(uses: { _ in 0 }) {
                ids[owners[victim]] = nil
                owners[victim] = key
                id = victim
            } else {
                owners.append(key)
            }
            ids[key] = id
            queues.insert(id, hash: scattered(key), weight: 1)
        }
        return Double(hits) / Double(keys.count)
    }
}

/// A hash that is the same in each run.
func scattered(_ key: Int) -> Int {
    var generator = SeededGenerator(seed: UInt64(bitPattern: Int64(key)))
    return Int(truncatingIfNeeded: generator.next())
}

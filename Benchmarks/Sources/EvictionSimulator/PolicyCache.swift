import DuetCaching

/// A cache without values that calls a policy as the query cache does.
struct PolicyCache<Policy: EvictionPolicy> {
    private let capacity: Int
    private var policy: Policy
    private var ids: [Int: Int] = [:]
    private var keys: [Int] = []

    init(capacity: Int, _ policy: Policy) {
        self.capacity = capacity
        self.policy = policy
    }

    consuming func hits(on trace: Trace) -> Int {
        var hits = 0
        for key in trace.keys where access(key) { hits += 1 }
        return hits
    }

    private mutating func access(_ key: Int) -> Bool {
        if let id = ids[key] {
            policy.use(id, count: 1)
            return true
        }
        // Each use was reported.
        if ids.count == capacity, let id = policy.evict(uses: { _ in 0 }) {
            ids[keys[id]] = nil
            keys[id] = key
            ids[key] = id
            policy.insert(id, hash: Self.hash(key), weight: 1)
        } else {
            keys.append(key)
            ids[key] = keys.count - 1
            policy.insert(keys.count - 1, hash: Self.hash(key), weight: 1)
        }
        return false
    }

    /// A hash that is the same in each process, unlike Swift's: SplitMix64.
    private static func hash(_ key: Int) -> Int {
        var bits = UInt64(bitPattern: Int64(key)) &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: bits ^ bits >> 31)
    }
}

/// The adaptive replacement cache, for comparison.
///
/// The algorithm and the names are those of the paper: Megiddo and Modha, "ARC: a self-tuning, low overhead replacement
/// cache", FAST 2003.
struct ARC {
    private let capacity: Int
    /// The target size of the list of entries that were used once.
    private var target = 0.0
    /// Entries that were used once, and more often; then the keys that were evicted from each.
    private var t1 = KeyList()
    private var t2 = KeyList()
    private var b1 = KeyList()
    private var b2 = KeyList()

    init(capacity: Int) {
        self.capacity = capacity
    }

    consuming func hits(on trace: Trace) -> Int {
        var hits = 0
        for key in trace.keys where access(key) { hits += 1 }
        return hits
    }

    private mutating func access(_ key: Int) -> Bool {
        if t1.remove(key) || t2.remove(key) {
            t2.append(key)
            return true
        }
        if b1.contains(key) {
            target = min(Double(capacity), target + max(1, Double(b2.count) / Double(b1.count)))
            replace(isInB2: false)
            b1.remove(key)
            t2.append(key)
        } else if b2.contains(key) {
            target = max(0, target - max(1, Double(b1.count) / Double(b2.count)))
            replace(isInB2: true)
            b2.remove(key)
            t2.append(key)
        } else {
            makeRoom()
            t1.append(key)
        }
        return false
    }

    private mutating func makeRoom() {
        let total = t1.count + t2.count + b1.count + b2.count
        if t1.count + b1.count == capacity {
            if t1.count == capacity {
                t1.removeFirst()
            } else {
                b1.removeFirst()
                replace(isInB2: false)
            }
        } else if total >= capacity {
            if total == 2 * capacity { b2.removeFirst() }
            replace(isInB2: false)
        }
    }

    private mutating func replace(isInB2: Bool) {
        let size = Double(t1.count)
        if t2.count == 0 || t1.count > 0 && (size > target || isInB2 && size == target) {
            if let key = t1.removeFirst() { b1.append(key) }
        } else if let key = t2.removeFirst() {
            b2.append(key)
        }
    }
}

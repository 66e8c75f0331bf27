/// A cache that evicts the least recently used entry, for comparison.
struct LRU {
    private let capacity: Int
    private var keys = KeyList()

    init(capacity: Int) {
        self.capacity = capacity
    }

    consuming func hits(on trace: Trace) -> Int {
        var hits = 0
        for key in trace.keys {
            if keys.remove(key) {
                hits += 1
            } else if keys.count == capacity {
                keys.removeFirst()
            }
            keys.append(key)
        }
        return hits
    }
}

/// Keys in order: each has a number, and a number whose key was removed or appended again is skipped.
struct KeyList {
    private var numbers: [Int: Int] = [:]
    private var keys: [Int] = []
    private var head = 0

    var count: Int { numbers.count }

    func contains(_ key: Int) -> Bool { numbers[key] != nil }

    mutating func append(_ key: Int) {
        numbers[key] = keys.count
        keys.append(key)
    }

    @discardableResult
    mutating func remove(_ key: Int) -> Bool { numbers.removeValue(forKey: key) != nil }

    @discardableResult
    mutating func removeFirst() -> Int? {
        while head < keys.count {
            let key = keys[head]
            head += 1
            if numbers[key] == head - 1 {
                numbers[key] = nil
                return key
            }
        }
        return nil
    }
}

/// A cache that evicts the entry whose next use is the farthest away, which gives the highest possible number of hits.
///
/// The algorithm is MIN: Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal, 1966.
struct ClairvoyantCache {
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    func hits(on trace: Trace) -> Int {
        // The next use of a key at each position; a key without one comes last.
        var nextUses = Array(repeating: Int.max, count: trace.keys.count)
        var positions: [Int: Int] = [:]
        for (position, key) in trace.keys.enumerated().reversed() {
            if let next = positions.updateValue(position, forKey: key) { nextUses[position] = next }
        }
        var hits = 0
        var cached: [Int: Int] = [:]
        var farthest = Heap()
        for (position, key) in trace.keys.enumerated() {
            if cached[key] != nil {
                hits += 1
            } else if cached.count == capacity {
                while let last = farthest.removeLargest() {
                    // An entry that was used since has another next use.
                    guard cached[last.key] == last.nextUse else { continue }
                    cached[last.key] = nil
                    break
                }
            }
            cached[key] = nextUses[position]
            farthest.insert(Heap.Element(nextUse: nextUses[position], key: key))
        }
        return hits
    }
}

/// A binary heap.
private struct Heap {
    struct Element {
        let nextUse: Int
        let key: Int
    }

    private var elements: [Element] = []

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[(index - 1) / 2].nextUse < elements[index].nextUse {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeLargest() -> Element? {
        guard let largest = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return largest }
        elements[0] = last
        var index = 0
        while 2 * index + 1 < elements.count {
            var child = 2 * index + 1
            if child + 1 < elements.count, elements[child + 1].nextUse > elements[child].nextUse { child += 1 }
            guard elements[child].nextUse > elements[index].nextUse else { break }
            elements.swapAt(index, child)
            index = child
        }
        return largest
    }
}

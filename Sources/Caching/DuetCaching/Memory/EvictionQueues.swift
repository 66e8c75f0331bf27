/// Two queues that choose the entries to evict, mostly those that are seldom read.
///
/// A new entry waits in a small queue. If it is read more than once there, it moves to the main queue. Otherwise it is
/// evicted, and its fingerprint is remembered for a while. A remembered entry that is added again enters the main queue
/// directly. Entries that are read once, as in a scan, therefore do not evict popular ones. While the main queue has
/// room, the oldest entries of the small queue move to it.
///
/// The algorithm is S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023), with a small
/// queue that changes its size:
///
/// - It grows when a remembered entry is added again, which was evicted too early. A program that returns only to
///   recent values gets about as many hits as from LRU.
/// - It grows a little with each of its evictions, so that entries of the main queue that nobody uses are evicted too.
/// - It shrinks with each use of the main queue.
///
/// The queues see numbers, not values. IDs are small, because they are indices of arrays.
package struct EvictionQueues: Sendable {
    private struct Item {
        var fingerprint: UInt32 = 0
        var weight: Int32 = 0
        var uses: Int8 = 0
        var isInMain = false
    }

    private let capacity: Int
    /// The weight above which the small queue is too long, from a tenth of the capacity to nine tenths.
    private var smallCapacity: Double
    private var items: [Item] = []
    private var links = IDLinks()
    private var small = IDQueue()
    private var main = IDQueue()
    private var ghosts = GhostList()

    /// Creates empty queues.
    ///
    /// - Parameter capacity: The total weight that fits; the number of entries if each weighs 1.
    package init(capacity: Int) {
        self.capacity = capacity
        smallCapacity = max(1, Double(capacity) / 10)
    }

    private var mainCapacity: Int { max(1, capacity - Int(smallCapacity)) }

    /// Adds an entry to the small queue, or to the main queue if it was evicted recently.
    ///
    /// - Parameters:
    ///   - id: The entry's ID, which no other entry has.
    ///   - hash: The hash of its key, by which an evicted entry is recognized.
    ///   - weight: The weight of the entry, from 1 to the capacity.
    package mutating func insert(_ id: Int, hash: Int, weight: Int) {
        while items.count <= id { items.append(Item()) }
        let fingerprint = UInt32(truncatingIfNeeded: hash)
        let isInMain = ghosts.remove(fingerprint)
        items[id] = Item(fingerprint: fingerprint, weight: Int32(clamping: weight), isInMain: isInMain)
        if isInMain { resizeSmall(by: Double(weight) / 5) }
        append(id)
        // Two entries move for each new one, so the main queue catches up.
        for _ in 0..<2 where small.weight > Int(smallCapacity) && main.weight < mainCapacity { promote(small.first) }
    }

    /// Removes an entry that was deleted or replaced.
    package mutating func remove(_ id: Int) {
        unlink(id)
    }

    package mutating func addWeight(_ change: Int, to id: Int) {
        let weight = Int32(clamping: Int(items[id].weight) + change)
        let actual = Int(weight) - Int(items[id].weight)
        items[id].weight = weight
        if items[id].isInMain { main.addWeight(actual) } else { small.addWeight(actual) }
    }

    /// Counts reads of an entry, up to three.
    ///
    /// The cache reports most reads before the next insertion, roughly in order. It drops reports rather than delay a
    /// read. ``evict(uses:)`` receives the dropped ones.
    ///
    /// - Parameters:
    ///   - id: The entry's ID.
    ///   - count: The number of reads since the last report, from 1 to 3; 3 for more.
    package mutating func use(_ id: Int, count: Int) {
        items[id].uses = Int8(min(3, Int(items[id].uses) + count))
        guard items[id].isInMain else { return }
        resizeSmall(by: -Double(items[id].weight) / 10)
    }

    /// Removes an entry from the small queue if that is too long, or from the main queue.
    ///
    /// - Parameter uses: Returns the number of reads of an entry since its last report or the last call; 3 for more.
    /// - Returns: The ID of the entry, or nil from empty queues.
    package mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        while !small.isEmpty, small.weight >= Int(smallCapacity) || main.isEmpty {
            let id = small.first
            noteUnreported(id, uses)
            if items[id].uses >= 2 {
                promote(id)
                if main.weight > mainCapacity { return evictFromMain(uses) }
            } else {
                resizeSmall(by: Double(items[id].weight) / 200)
                ghosts.insert(items[id].fingerprint, limit: (small.count + main.count) * 9 / 10)
                unlink(id)
                return id
            }
        }
        return evictFromMain(uses)
    }

    private mutating func resizeSmall(by weight: Double) {
        let tenth = Double(capacity) / 10
        smallCapacity = max(1, tenth, min(tenth * 9, smallCapacity + weight))
    }

    private mutating func evictFromMain(_ uses: (_ id: Int) -> Int) -> Int? {
        while !main.isEmpty {
            let id = main.first
            noteUnreported(id, uses)
            unlink(id)
            guard items[id].uses > 0 else { return id }
            items[id].uses -= 1
            append(id)
        }
        return nil
    }

    private mutating func noteUnreported(_ id: Int, _ uses: (_ id: Int) -> Int) {
        let count = uses(id)
        if count > 0 { use(id, count: count) }
    }

    private mutating func promote(_ id: Int) {
        unlink(id)
        items[id].isInMain = true
        items[id].uses = 0
        append(id)
    }

    private mutating func append(_ id: Int) {
        let weight = Int(items[id].weight)
        if items[id].isInMain {
            main.append(id, weight: weight, &links)
        } else {
            small.append(id, weight: weight, &links)
        }
    }

    private mutating func unlink(_ id: Int) {
        let weight = Int(items[id].weight)
        if items[id].isInMain {
            main.remove(id, weight: weight, &links)
        } else {
            small.remove(id, weight: weight, &links)
        }
    }
}

/// The fingerprints of recently evicted entries, from which the oldest is removed first.
private struct GhostList {
    private var ring: [UInt32] = []
    /// The next position in the ring.
    private var next = 0
    private var positions: [UInt32: Int32] = [:]

    /// Adds a fingerprint.
    ///
    /// - Parameter limit: The number of fingerprints to keep. The list grows to a larger limit, and ignores a
    ///   smaller one.
    mutating func insert(_ fingerprint: UInt32, limit: Int) {
        if next == ring.count, ring.count >= max(1, limit) { next = 0 }
        if next == ring.count {
            ring.append(fingerprint)
        } else {
            let oldest = ring[next]
            if positions[oldest] == Int32(next) { positions[oldest] = nil }
            ring[next] = fingerprint
        }
        positions[fingerprint] = Int32(next)
        next += 1
    }

    mutating func remove(_ fingerprint: UInt32) -> Bool { positions.removeValue(forKey: fingerprint) != nil }
}

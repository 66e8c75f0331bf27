/// Evicts entries that were read seldom, from two queues.
///
/// A new entry waits in a small queue. If it is read more than once there, it moves to the main queue; otherwise it is evicted,
/// and its hash is remembered for a while. A remembered entry that comes back goes to the main queue at once. This keeps
/// entries that are read once, as in a scan, from evicting popular ones.
///
/// The algorithm is S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023).
public struct S3FIFOPolicy: EvictionPolicy {
    private struct Item {
        var hash = 0
        var weight: Int32 = 0
        var uses: Int8 = 0
        var isInMain = false
    }

    private let smallCapacity: Int
    private let mainCapacity: Int
    private var items: [Item] = []
    private var links = IDLinks()
    private var small = IDQueue()
    private var main = IDQueue()
    private var ghosts: GhostList

    /// Creates a policy whose small queue has a tenth of the capacity.
    public init(capacity: Int) {
        smallCapacity = max(1, capacity / 10)
        mainCapacity = max(1, capacity - smallCapacity)
        ghosts = GhostList(capacity: mainCapacity)
    }

    /// Adds an entry to the small queue, or to the main queue if it was evicted recently.
    public mutating func insert(_ id: Int, hash: Int, weight: Int) {
        if items.count <= id { items.append(contentsOf: repeatElement(Item(), count: id + 1 - items.count)) }
        let isInMain = ghosts.remove(hash)
        items[id] = Item(hash: hash, weight: Int32(clamping: weight), isInMain: isInMain)
        append(id)
    }

    /// Removes an entry.
    public mutating func remove(_ id: Int) {
        unlink(id)
    }

    /// Removes an entry from the small queue if that is too long, or from the main queue.
    public mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        while !small.isEmpty || !main.isEmpty {
            if !small.isEmpty, small.weight >= smallCapacity || main.isEmpty {
                let id = small.first
                unlink(id)
                noteUses(of: id, uses)
                guard items[id].uses >= 2 else {
                    ghosts.insert(items[id].hash)
                    return id
                }
                items[id].isInMain = true
                items[id].uses = 0
                append(id)
                guard main.weight > mainCapacity, let victim = evictFromMain(uses) else { continue }
                return victim
            } else {
                return evictFromMain(uses)
            }
        }
        return nil
    }

    private mutating func evictFromMain(_ uses: (_ id: Int) -> Int) -> Int? {
        while !main.isEmpty {
            let id = main.first
            unlink(id)
            noteUses(of: id, uses)
            guard items[id].uses > 0 else { return id }
            items[id].uses -= 1
            append(id)
        }
        return nil
    }

    private mutating func noteUses(of id: Int, _ uses: (_ id: Int) -> Int) {
        items[id].uses = Int8(min(3, Int(items[id].uses) + uses(id)))
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

/// The hashes of recently evicted entries, the oldest forgotten first.
struct GhostList: Sendable {
    private let capacity: Int
    private var numbers: [Int: Int] = [:]
    private var order: [Int] = []
    private var head = 0
    private var lastNumber = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func insert(_ hash: Int) {
        if order.count < capacity {
            order.append(hash)
        } else {
            forget(order[head], number: lastNumber - capacity + 1)
            order[head] = hash
            head = head + 1 == capacity ? 0 : head + 1
        }
        lastNumber += 1
        numbers[hash] = lastNumber
    }

    /// Removes a hash; false if it is not in the list.
    mutating func remove(_ hash: Int) -> Bool {
        numbers.removeValue(forKey: hash) != nil
    }

    /// Removes the oldest hash, unless it was removed or inserted again since.
    private mutating func forget(_ hash: Int, number: Int) {
        if numbers[hash] == number { numbers[hash] = nil }
    }
}

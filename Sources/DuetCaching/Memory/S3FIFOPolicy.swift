/// Evicts entries that were seldom read, from two queues.
///
/// A new entry waits in a small queue. If it is read more than once there, it moves to the main queue. Otherwise it is
/// evicted, and its fingerprint is remembered for a while. A remembered entry that is added again enters the main queue
/// directly. Entries that are read once, as in a scan, therefore do not evict popular ones. While the main queue has
/// room, the oldest entries of the small queue move to it.
///
/// The algorithm is S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023).
public struct S3FIFOPolicy: EvictionPolicy {
    private struct Item {
        var fingerprint: UInt32 = 0
        var weight: Int32 = 0
        var uses: Int8 = 0
        var isInMain = false
    }

    private let smallCapacity: Int
    private let mainCapacity: Int
    private let renewsMain: Bool
    private var items: [Item] = []
    private var links = IDLinks()
    private var small = IDQueue()
    private var main = IDQueue()
    private var ghosts = GhostList()
    /// Evictions from the small queue, and in that time the uses and changes of the main queue.
    private var smallEvictions = 0
    private var mainUses = 0
    /// The number of entries of the main queue that are still to be renewed.
    private var renewals = 0

    /// Creates a policy whose small queue has a tenth of the capacity.
    public init(capacity: Int) {
        self.init(capacity: capacity, renewsMain: false)
    }

    /// Creates a policy that can renew the main queue.
    ///
    /// In the published algorithm, entries enter a full main queue only when they are popular. If a program changes to
    /// a loop that is longer than the queues remember, no entry does, and unused entries stay forever.
    ///
    /// - Parameters:
    ///   - capacity: The total weight that fits.
    ///   - renewsMain: Whether entries of the small queue replace those of a useless main queue. A main queue is
    ///     useless if it had fewer uses than a 64th of the evictions from the small queue, counted over 16 times as
    ///     many evictions as the main queue has entries.
    init(capacity: Int, renewsMain: Bool) {
        smallCapacity = max(1, capacity / 10)
        mainCapacity = max(1, capacity - smallCapacity)
        self.renewsMain = renewsMain
    }

    func fingerprint(of id: Int) -> UInt32 { items[id].fingerprint }

    func weight(of id: Int) -> Int { Int(items[id].weight) }

    /// Adds an entry to the small queue, or to the main queue if it was evicted recently.
    public mutating func insert(_ id: Int, hash: Int, weight: Int) {
        while items.count <= id { items.append(Item()) }
        let fingerprint = UInt32(truncatingIfNeeded: hash)
        let isInMain = ghosts.remove(fingerprint)
        items[id] = Item(fingerprint: fingerprint, weight: Int32(clamping: weight), isInMain: isInMain)
        append(id)
        // Two entries move for each new one, so the main queue catches up.
        for _ in 0..<2 where small.weight > smallCapacity && main.weight < mainCapacity { promote(small.first) }
    }

    /// Removes an entry.
    public mutating func remove(_ id: Int) {
        unlink(id)
    }

    /// Counts reads of an entry, up to three.
    public mutating func use(_ id: Int, count: Int) {
        items[id].uses = Int8(min(3, Int(items[id].uses) + count))
        if items[id].isInMain { mainUses += 1 }
    }

    /// Removes an entry from the small queue if that is too long, or from the main queue.
    public mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        while !small.isEmpty, small.weight >= smallCapacity || main.isEmpty {
            let id = small.first
            noteUnreported(id, uses)
            if items[id].uses >= 2 {
                promote(id)
                if main.weight > mainCapacity { return evictFromMain(uses) }
            } else if let unused = renewMain(uses) {
                promote(id)
                return unused
            } else {
                ghosts.insert(items[id].fingerprint, limit: (small.count + main.count) * 9 / 10)
                unlink(id)
                return id
            }
        }
        return evictFromMain(uses)
    }

    private mutating func evictFromMain(_ uses: (_ id: Int) -> Int) -> Int? {
        mainUses += 1
        while !main.isEmpty {
            if let unused = removeOldestFromMain(uses) { return unused }
        }
        return nil
    }

    /// Removes the oldest entry of a useless main queue, unless it was read.
    private mutating func renewMain(_ uses: (_ id: Int) -> Int) -> Int? {
        guard renewsMain, !main.isEmpty else { return nil }
        smallEvictions += 1
        if smallEvictions >= 16 * main.count {
            if mainUses * 64 < smallEvictions { renewals = main.count }
            (smallEvictions, mainUses) = (0, 0)
        }
        guard renewals > 0 else { return nil }
        renewals -= 1
        return removeOldestFromMain(uses)
    }

    private mutating func noteUnreported(_ id: Int, _ uses: (_ id: Int) -> Int) {
        let count = uses(id)
        if count > 0 { use(id, count: count) }
    }

    /// Removes the oldest entry of the main queue.
    ///
    /// - Returns: The entry; nil if it was read and moves to the end instead.
    private mutating func removeOldestFromMain(_ uses: (_ id: Int) -> Int) -> Int? {
        let id = main.first
        unlink(id)
        noteUnreported(id, uses)
        guard items[id].uses > 0 else { return id }
        items[id].uses -= 1
        append(id)
        return nil
    }

    private mutating func promote(_ id: Int) {
        unlink(id)
        items[id].isInMain = true
        items[id].uses = 0
        append(id)
    }

    private mutating func append(_ id: Int) {
        let weight = weight(of: id)
        if items[id].isInMain {
            main.append(id, weight: weight, &links)
        } else {
            small.append(id, weight: weight, &links)
        }
    }

    private mutating func unlink(_ id: Int) {
        let weight = weight(of: id)
        if items[id].isInMain {
            main.remove(id, weight: weight, &links)
        } else {
            small.remove(id, weight: weight, &links)
        }
    }
}

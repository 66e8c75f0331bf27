/// Evicts as LRU or as S3-FIFO, whichever gets more hits from the program at that time.
///
/// LRU suits programs that return to recently read values. S3-FIFO suits loops, scans and a lasting popularity. Two
/// miniature caches, one for each policy, see a sample of the keys. The difference of their hits shows which policy is
/// ahead. The policy changes when one of them leads clearly. All entries are in the queues of both policies, so a
/// change drops none.
///
/// The sources are:
///
/// - S3-FIFO: Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
/// - Miniature simulations: Waldspurger et al., "Cache modeling and optimization using miniature simulations", USENIX
///   ATC 2017.
/// - The saturating counter of set dueling: Qureshi et al., "Adaptive insertion policies for high performance caching",
///   ISCA 2007.
public struct AdaptivePolicy: EvictionPolicy {
    private let capacity: Int
    private var lru: LRUPolicy
    private var fifo: S3FIFOPolicy
    private var leader = Duel.Side.fifo
    private var duel: Duel?

    /// Creates a policy that begins as S3-FIFO.
    public init(capacity: Int) {
        self.capacity = capacity
        lru = LRUPolicy(capacity: capacity)
        fifo = Self.makeFIFO(capacity: capacity)
    }

    /// Adds an entry.
    public mutating func insert(_ id: Int, hash: Int, weight: Int) {
        lru.insert(id, hash: hash, weight: weight)
        fifo.insert(id, hash: hash, weight: weight)
        compare(id, count: 1)
    }

    /// Removes an entry.
    public mutating func remove(_ id: Int) {
        let fingerprint = fifo.fingerprint(of: id)
        lru.remove(id)
        fifo.remove(id)
        duel?.remove(fingerprint)
    }

    /// Notes that an entry was read.
    public mutating func use(_ id: Int, count: Int) {
        lru.use(id, count: count)
        fifo.use(id, count: count)
        compare(id, count: count)
    }

    /// Removes the entry that the leading policy chooses.
    public mutating func evict(uses: (_ id: Int) -> Int) -> Int? {
        beginDuelIfNeeded()
        guard leader == .lru else {
            let victim = fifo.evict(uses: uses)
            if let victim { lru.remove(victim) }
            return victim
        }
        while let id = lru.oldest {
            let count = uses(id)
            guard count > 0 else {
                lru.remove(id)
                fifo.remove(id)
                return id
            }
            use(id, count: count)
        }
        return nil
    }

    /// Lets both miniature caches read an entry.
    private mutating func compare(_ id: Int, count: Int) {
        let fingerprint = fifo.fingerprint(of: id)
        guard duel?.samples(fingerprint) == true else { return }
        if let leader = duel?.access(fingerprint, weight: fifo.weight(of: id), count: count) { self.leader = leader }
    }

    /// Begins a duel when the cache is first full, and when the number of its entries has changed a lot since.
    ///
    /// Weights can have any unit, so the number of entries that fit is not known earlier.
    private mutating func beginDuelIfNeeded() {
        if let begun = duel?.count, lru.count <= begun * 2, lru.count * 4 >= begun { return }
        var duel = Duel(count: lru.count, capacity: capacity)
        var next = lru.oldest
        while let id = next {
            let fingerprint = fifo.fingerprint(of: id)
            if duel.samples(fingerprint) { _ = duel.access(fingerprint, weight: fifo.weight(of: id), count: 1) }
            next = lru.next(after: id)
        }
        self.duel = duel
    }

    /// Creates the S3-FIFO of the cache and of its miniature.
    fileprivate static func makeFIFO(capacity: Int) -> S3FIFOPolicy {
        S3FIFOPolicy(capacity: capacity, renewsMain: true)
    }
}

/// Two miniature caches that see the same sample of the keys, and the lead of one.
private struct Duel {
    enum Side {
        case lru, fifo
    }

    /// This many keys show a difference of hits, and the sample contains smaller caches completely.
    private static var sampleSize: Int { 512 }

    /// The number of entries of the cache when the duel began.
    let count: Int
    private let shift: Int
    /// The lead at which a side wins.
    private let threshold: Int
    /// The number of hits by which LRU is ahead; negative if it is behind.
    private var lead = 0
    private var lru: MiniatureCache<LRUPolicy>
    private var fifo: MiniatureCache<S3FIFOPolicy>

    init(count: Int, capacity: Int) {
        self.count = count
        var shift = 0
        while count >> shift > Self.sampleSize { shift += 1 }
        self.shift = shift
        threshold = max(4, min(64, (count >> shift) / 4))
        let capacity = max(1, capacity >> shift)
        lru = MiniatureCache(capacity: capacity, LRUPolicy(capacity: capacity))
        fifo = MiniatureCache(capacity: capacity, AdaptivePolicy.makeFIFO(capacity: capacity))
    }

    /// Whether a key is in the sample.
    func samples(_ fingerprint: UInt32) -> Bool { fingerprint & (1 << shift - 1) == 0 }

    /// Reads a key from both caches, and returns the side that leads clearly, or nil.
    mutating func access(_ fingerprint: UInt32, weight: Int, count: Int) -> Side? {
        let isLRUHit = lru.access(fingerprint, weight: weight, count: count)
        let isFIFOHit = fifo.access(fingerprint, weight: weight, count: count)
        guard isLRUHit != isFIFOHit else { return nil }
        lead = max(-threshold, min(threshold, lead + (isLRUHit ? 1 : -1)))
        guard abs(lead) == threshold else { return nil }
        return lead > 0 ? .lru : .fifo
    }

    mutating func remove(_ fingerprint: UInt32) {
        lru.remove(fingerprint)
        fifo.remove(fingerprint)
    }
}

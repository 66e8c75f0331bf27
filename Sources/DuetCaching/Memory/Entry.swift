import Duet
import Synchronization

/// A query's value in memory.
///
/// An entry never changes, except for the notes of its use. A new value is a new entry.
final class Entry<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    enum Content: Sendable {
        case value(Q.Value)
        case error(any Error)
    }

    let key: ScopedQuery<Q>
    let hash: Int
    let content: Content
    let dates: StoredDates
    /// When the load began, relative to invalidations.
    let epoch: Epoch
    let tags: [Tag]
    let weight: Int
    /// When the value cannot be served anymore, not even if loading fails.
    let usableUntil: Double
    /// The position of the entry's query among the cached queries.
    let line: Int

    /// The handle of the entry in the eviction order; -1 before, and -2 after.
    let handle = Atomic(-1)
    private let lastUseBits: Atomic<UInt64>
    private let isMarkedInvalid = Atomic(false)
    private let recentUses = Atomic<UInt8>(0)
    /// Whether the value was just read from the store.
    private let isFromStore: Atomic<Bool>

    init(
        _ key: ScopedQuery<Q>,
        hash: Int,
        _ content: Content,
        dates: StoredDates,
        epoch: Epoch,
        tags: [Tag],
        weight: Int,
        usableUntil: Double,
        line: Int,
        isFromStore: Bool = false
    ) {
        self.key = key
        self.hash = hash
        self.content = content
        self.dates = dates
        self.epoch = epoch
        self.tags = tags
        self.weight = weight
        self.usableUntil = usableUntil
        self.line = line
        lastUseBits = Atomic(dates.loaded.bitPattern)
        self.isFromStore = Atomic(isFromStore)
    }

    /// When the entry was read last, or loaded.
    var lastUse: Double { Double(bitPattern: lastUseBits.load(ordering: .relaxed)) }

    /// Whether an invalidation chose this entry by its query.
    var isInvalidatedByRule: Bool { isMarkedInvalid.load(ordering: .acquiring) }

    /// Returns where the value came from: the store for the first use after it was read there.
    func takeOrigin<V>() -> CachedResult<V>.Origin {
        isFromStore.exchange(false, ordering: .relaxed) ? .store : .memory
    }

    func markInvalid() { isMarkedInvalid.store(true, ordering: .releasing) }

    /// - Parameter keepsDate: Whether the policy has an idle time.
    func noteUse(at now: Double, keepsDate: Bool) {
        if keepsDate { lastUseBits.store(now.bitPattern, ordering: .relaxed) }
        // A few uses suffice for the eviction policy, so a popular entry is not written.
        let uses = recentUses.load(ordering: .relaxed)
        if uses < 3 { recentUses.store(uses + 1, ordering: .relaxed) }
    }
}

extension Entry: Evictable {
    func takeUses() -> Int { Int(recentUses.exchange(0, ordering: .relaxed)) }
}

import Duet
import Synchronization

/// A query's value in memory.
///
/// An entry never changes, except for the notes of its use. A new value is a new entry. The fields whose sizes do not
/// depend on the query come first, so that generic code finds them at fixed offsets.
final class Entry<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    /// When the load ended, in seconds since the reference date of `Date`.
    let loaded: Double
    /// When the value stops being fresh; infinity for never.
    let expires: Double
    /// The epoch in which the load began.
    let epoch: Epoch
    let extras: EntryExtras?
    /// The handle of the entry in the eviction order; -1 before it is added, and -2 after its removal.
    let handle = Atomic<Int32>(-1)
    /// The position of the entry's query among the cached queries.
    private let index: UInt16
    private let marks: Atomic<UInt8>
    private let madeForms = AtomicLazyReference<ValueForms>()
    let query: Q
    let value: Q.Value

    init(
        _ key: ScopedQuery<Q>,
        _ value: Q.Value,
        dates: StoredDates,
        epoch: Epoch,
        tags: [Tag],
        source: CacheVersion?,
        weight: Int,
        queryIndex: Int,
        hasExtras: Bool = false,
        isFromStore: Bool = false
    ) {
        loaded = dates.loaded
        expires = dates.expires
        self.epoch = epoch
        self.value = value
        let isPlain = key.scope == nil && tags.isEmpty && source == nil && weight == 1 && !hasExtras
        extras = isPlain ? nil : EntryExtras(key.scope, tags, source, weight: weight, lastUse: dates.loaded)
        index = UInt16(queryIndex)
        query = key.query
        marks = Atomic(isFromStore ? Mark.fromStore : 0)
    }
}

/// Properties that only some entries have.
final class EntryExtras: Sendable {
    let scope: String?
    let tags: [Tag]
    let source: CacheVersion?
    fileprivate let weight: Atomic<Int>
    fileprivate let lastUseBits: Atomic<UInt64>

    fileprivate init(_ scope: String?, _ tags: [Tag], _ source: CacheVersion?, weight: Int, lastUse: Double) {
        self.scope = scope
        self.tags = tags
        self.source = source
        self.weight = Atomic(weight)
        lastUseBits = Atomic(lastUse.bitPattern)
    }
}

private enum Mark {
    /// The number of recent uses, 3 for more.
    static let uses: UInt8 = 3
    static let invalid: UInt8 = 4
    static let fromStore: UInt8 = 8
    /// Whether a use is in the `UseBuffer`.
    static let reported: UInt8 = 16
}

extension Entry {
    var scope: String? { extras?.scope }
    var tags: [Tag] { extras?.tags ?? [] }

    var source: CacheVersion? { extras?.source }

    /// The weight of the value and its forms, which only the ``EvictionOrder`` changes.
    var weight: Int { extras?.weight.load(ordering: .relaxed) ?? 1 }

    func removeForms() { madeForms.load()?.removeAll() }

    func addWeight(_ weight: Int) { extras?.weight.add(weight, ordering: .relaxed) }

    var queryIndex: Int { Int(index) }
    var hash: Int { ScopedQuery.hash(of: query, scope: scope) }

    /// The date of the last read, or of the load.
    var lastUse: Double { extras.map { Double(bitPattern: $0.lastUseBits.load(ordering: .relaxed)) } ?? loaded }

    /// Whether an invalidation by predicate concerned this entry.
    var isInvalidatedByRule: Bool { marks.load(ordering: .acquiring) & Mark.invalid != 0 }

    func markInvalid() { _ = marks.bitwiseOr(Mark.invalid, ordering: .releasing) }

    /// Notes a use.
    ///
    /// The eviction queues need only a few uses, so a popular entry is not written.
    ///
    /// - Returns: Whether the eviction order does not know of a use yet.
    @inline(__always)
    func noteUse() -> Bool {
        let old = marks.load(ordering: .relaxed)
        if old & Mark.uses < 3 {
            // If two threads note a use at the same time, one of them counts.
            _ = marks.compareExchange(expected: old, desired: old + 1, ordering: .relaxed)
        }
        return old & Mark.reported == 0
    }

    /// Notes the date of a use, which an idle time needs.
    func noteUse(at now: Double) { extras?.lastUseBits.store(now.bitPattern, ordering: .relaxed) }

    /// Returns the origin of the value, which is the store only for the first use.
    func takeOrigin<V>() -> ReadResult<V>.Origin {
        marks.bitwiseAnd(~Mark.fromStore, ordering: .relaxed).oldValue & Mark.fromStore != 0 ? .store : .memory
    }
}

extension Entry {
    /// Whether the value is that of one principal, or of work with an authority.
    private var isPersonal: Bool { scope.map { !CacheScope.isNamed($0) } ?? false }

    /// The forms that were made from the value.
    func forms(in core: CacheCore) -> ValueForms {
        madeForms.load() ?? madeForms.storeIfNil(core.newForms(of: self, isPersonal: isPersonal))
    }
}

extension Entry: Evictable {
    var isReported: Bool { marks.load(ordering: .relaxed) & Mark.reported != 0 }

    func markReported() { _ = marks.bitwiseOr(Mark.reported, ordering: .relaxed) }

    func takeUses() -> Int {
        Int(marks.bitwiseAnd(~(Mark.uses | Mark.reported), ordering: .relaxed).oldValue & Mark.uses)
    }
}

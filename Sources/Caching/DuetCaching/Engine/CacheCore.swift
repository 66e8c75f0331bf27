import Duet
import Foundation
import Synchronization

/// The state that the cached queries of one cache share.
final class CacheCore: Sendable {
    let now: @Sendable () -> Date
    let clock: any Clock<Duration>
    let random: @Sendable () -> Double
    let epochs = Epochs()
    /// Identifies this cache in the versions of its values, also if the next launch has a cache with the same `id`.
    let versionID = UInt64.random(in: .min ... .max)
    let tags = Tags()
    /// What handlers have read from tracked sources.
    let data: DataTags
    /// The pass over the observed values that has been requested, with the version that they must have; nil for none.
    private let refresh = Mutex<Requirement??>(nil)
    /// The changes that running commands show.
    private let shown = Mutex<[ObjectIdentifier: [CommandUpdateID]]>([:])
    /// The faults that have been reported, by the names of their queries.
    let reported = Mutex<[String: String]>([:])
    let invalidations = Invalidations()
    let everything = Invalidated()
    let tagged = Invalidated()
    /// The last removal of everything.
    ///
    /// Older values of the store may not even replace a failed load.
    let removed = Invalidated()
    /// The number of commands whose rules are being applied.
    let applying = Atomic(0)
    private let invalidated = Mutex(PassedInvalidations())
    let order: EvictionOrder
    let forms: FormMemory
    /// Removes an entry from the table of its query; nil until the queries are known.
    private let removeEvicted = Mutex<(@Sendable (any Evictable) -> Void)?>(nil)
    let waits = LoadWaits()
    /// The time since this cache was created, on its clock.
    let elapsed: @Sendable () -> Duration
    let barrier = ReadBarrier()
    /// The store behind the memory, if there is one.
    let tier: StoreTier?

    init(
        _ memory: CacheMemory,
        graces: [Double],
        now: @escaping @Sendable () -> Date,
        clock: any Clock<Duration>,
        random: @escaping @Sendable () -> Double,
        id: UUID
    ) {
        self.now = now
        self.clock = clock
        self.random = random
        elapsed = clock.stopwatch()
        let epochs = epochs
        data = DataTags(epochs)
        tier = memory.store.map { StoreTier($0, writer: id, clock: clock, epochs: epochs) }
        order = EvictionOrder(memory.limit, graces: graces)
        forms = FormMemory(limit: memory.limit.forms)
    }

    /// The invalidations that have begun.
    var passed: PassedInvalidations { invalidated.withLock(\.self) }

    var seconds: Double { now().timeIntervalSinceReferenceDate }

    /// The present version of this cache.
    var version: CacheVersion { version(at: epochs.current) }

    func version(at epoch: Epoch) -> CacheVersion { CacheVersion(cache: versionID, number: epoch) }
}

extension CacheCore {
    func invalidateEverything() {
        everything.invalidate(epochs)
        tier?.markStale(.everything)
    }

    /// Invalidates all values, and removes them from the store.
    func removeStored() {
        everything.invalidate(epochs)
        removed.invalidate(epochs)
        tier?.removeAll()
    }

    /// Carries out the rules of one command.
    ///
    /// One value may be computed from another. A load that begins between two rules may therefore use a value that the
    /// second one makes stale. Such a load is marked when it begins.
    ///
    /// - Parameter version: The version that the command has led to elsewhere.
    func applyRules<Value>(_ version: CacheVersion?, _ body: () -> Value) -> Value {
        invalidated.withLock { $0.add(version) }
        return applying(body)
    }

    /// Carries out several invalidations as one.
    func applying<Value>(_ body: () -> Value) -> Value {
        applying.add(1, ordering: .acquiringAndReleasing)
        defer { applying.subtract(1, ordering: .releasing) }
        return body()
    }

    func invalidate(_ tag: String) {
        let tag = tag.normalized
        defer {
            tagged.invalidate(epochs)
            data.invalidate([DataName(data.queries, tag, .column(""))])
        }
        guard let tier else {
            // Without the tag, there is nothing to invalidate.
            tags.existing(tag)?.invalidated.invalidate(epochs)
            return
        }
        let found = tags.tag(tag)
        found.invalidated.invalidate(epochs)
        tier.markStale(found, name: tag)
    }

    // MARK: Tracked sources

    /// The changes that commands show which have begun and not ended.
    func shownUpdates(of commands: [DataUse]) -> [CommandUpdateID] {
        shown.withLock { shown in commands.flatMap { shown[ObjectIdentifier($0)] ?? [] } }
    }

    func setShown(_ updates: [CommandUpdateID]?, of command: DataUse) {
        shown.withLock { $0[ObjectIdentifier(command)] = updates }
    }

    /// Tells the developer once that values of a query without a policy are not kept.
    func report(_ door: String, of query: String) {
        let fault = """
            \(query) is not cached: its handler has read \(door). Give its Cache rule a policy, which says how old its \
            values may be.
            """
        guard reported.withLock({ $0.updateValue(fault, forKey: query) == nil }) else { return }
        FileHandle.standardError.write(Data("\(fault)\n".utf8))
    }

    /// Requests a pass over the observed values, and returns whether that is the first request.
    func requestRefresh(_ requirement: Requirement?) -> Bool {
        refresh.withLock { refresh in
            defer { refresh = .some(refresh == nil ? requirement : nil) }
            return refresh == nil
        }
    }

    func takeRefresh() -> Requirement? { refresh.withLock { $0.take() ?? nil } }

    func setEvicting(_ remove: @escaping @Sendable (any Evictable) -> Void) { removeEvicted.withLock { $0 = remove } }

    /// Removes evicted entries from the tables of their queries.
    func evict(_ entries: [any Evictable]) {
        let remove = removeEvicted.withLock(\.self)
        for entry in entries {
            remove?(entry)
            // Observers may still have the value.
            entry.removeForms()
        }
    }
}

import Synchronization

protocol Evictable: AnyObject, Sendable {
    var handle: Atomic<Int32> { get }
    var hash: Int { get }
    var weight: Int { get }
    func addWeight(_ weight: Int)

    func removeForms()
    var queryIndex: Int { get }
    var expires: Double { get }

    /// Whether a use is in the ``UseBuffer``.
    var isReported: Bool { get }

    func markReported()

    /// Returns the number of uses since the last call, 3 for more, and lets the entry be reported again.
    func takeUses() -> Int
}

/// The entries of all queries, in the order in which they are evicted.
///
/// A hit does not lock this. It leaves a report, which the next insertion forwards to the queues.
final class EvictionOrder: Sendable {
    fileprivate struct State {
        var queues: EvictionQueues
        /// The seconds for which a stale value may be served, by query.
        let graces: [Double]
        var owners: [(any Evictable)?] = []
        var free: [Int] = []
        var weight = 0
        /// The handle that was last checked for an entry that is too old.
        var hand = 0
        /// The reports that are being forwarded, kept to reuse its memory.
        var reports: [Int32] = []

        mutating func newHandle(for entry: any Evictable) -> Int {
            if let handle = free.popLast() {
                owners[handle] = entry
                return handle
            }
            owners.append(entry)
            return owners.count - 1
        }

        mutating func release(_ handle: Int) {
            owners[handle] = nil
            free.append(handle)
        }
    }

    let limit: MemoryLimit
    private let uses = UseBuffer()
    private let state: Mutex<State>

    init(_ limit: MemoryLimit, graces: [Double]) {
        self.limit = limit
        state = Mutex(State(queues: EvictionQueues(capacity: limit.capacity), graces: graces))
    }

    var size: (count: Int, weight: Int) { state.withLock { ($0.owners.count - $0.free.count, $0.weight) } }

    /// Adds an entry.
    ///
    /// This also checks two other entries, and removes them if they are too old. Unread entries therefore do not stay
    /// forever.
    ///
    /// - Returns: The entries that make room for it, or the entry itself if it is too heavy.
    func insert(_ entry: any Evictable, at now: Double) -> [any Evictable] {
        guard entry.weight <= limit.capacity, entry.weight < .max else {
            entry.handle.store(-2, ordering: .relaxed)
            return [entry]
        }
        return state.withLock { state in
            // The entry may have been replaced since it was stored.
            guard entry.handle.load(ordering: .relaxed) == -1 else { return [] }
            state.takeReports(from: uses)
            var victims = (0..<2).compactMap { _ in state.removeNextIfExpired(at: now) }
            while state.weight > limit.capacity - entry.weight, let victim = state.evict() { victims.append(victim) }
            let handle = state.newHandle(for: entry)
            entry.handle.store(Int32(handle), ordering: .relaxed)
            state.queues.insert(handle, hash: entry.hash, weight: entry.weight)
            state.weight += entry.weight
            return victims
        }
    }

    /// Changes the weight of an entry.
    ///
    /// - Returns: The entries that make room for it; nil if it is too heavy, or was removed.
    func addWeight(_ change: Int, to entry: any Evictable) -> [any Evictable]? {
        state.withLock { state in
            let handle = Int(entry.handle.load(ordering: .relaxed))
            guard handle > -2, entry.weight < .max else { return nil }
            entry.addWeight(change)
            if handle >= 0 {
                state.weight += change
                state.queues.addWeight(change, to: handle)
            }
            guard entry.weight <= limit.capacity else { return nil }
            var victims: [any Evictable] = []
            while state.weight > limit.capacity, let victim = state.evict() { victims.append(victim) }
            return victims
        }
    }

    func removeExpired(at now: Double) -> [any Evictable] {
        state.withLock { state in
            (0..<state.owners.count).compactMap { _ in state.removeNextIfExpired(at: now) }
        }
    }

    /// Removes entries that were deleted or replaced.
    func remove(_ entries: some Sequence<any Evictable>) {
        state.withLock { state in
            for entry in entries {
                let handle = Int(entry.handle.exchange(-2, ordering: .relaxed))
                guard handle >= 0 else { continue }
                state.queues.remove(handle)
                state.weight -= entry.weight
                state.release(handle)
            }
        }
    }

    /// Leaves a report of a use for the queues.
    @inline(__always)
    func noteUse(of entry: some Evictable) {
        // The buffer stays full while nothing is inserted.
        guard !uses.isFull else { return }
        uses.report(entry)
    }
}

extension EvictionOrder.State {
    fileprivate mutating func takeReports(from uses: borrowing UseBuffer) {
        uses.swapReports(&reports)
        for handle in reports.lazy.map(Int.init) {
            guard let entry = owners[handle] else { continue }
            let count = entry.takeUses()
            if count > 0 { queues.use(handle, count: count) }
        }
        reports.removeAll(keepingCapacity: true)
    }

    fileprivate mutating func removeNextIfExpired(at now: Double) -> (any Evictable)? {
        guard !owners.isEmpty else { return nil }
        hand = hand + 1 < owners.count ? hand + 1 : 0
        guard let entry = owners[hand], entry.expires + graces[entry.queryIndex] <= now else { return nil }
        queues.remove(hand)
        forget(hand, entry)
        return entry
    }

    fileprivate mutating func evict() -> (any Evictable)? {
        guard let handle = Self.victim(of: &queues, owners), let entry = owners[handle] else { return nil }
        forget(handle, entry)
        return entry
    }

    private mutating func forget(_ handle: Int, _ entry: any Evictable) {
        entry.handle.store(-2, ordering: .relaxed)
        weight -= entry.weight
        release(handle)
    }

    /// A separate function, so that the closure has released `owners` before they change, and they are not copied.
    private static func victim(of queues: inout EvictionQueues, _ owners: [(any Evictable)?]) -> Int? {
        queues.evict { owners[$0]?.takeUses() ?? 0 }
    }
}

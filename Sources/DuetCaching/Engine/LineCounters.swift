import Synchronization

/// Counts what happens to the values of one query, apart from hits in memory, which the shards of its table count.
final class LineCounters: Sendable {
    enum Event: Int, CaseIterable {
        case hit, miss, stale, coalesced, evicted, invalidated
    }

    private let counts = Mutex([Int](repeating: 0, count: Event.allCases.count))

    func add(_ event: Event) { counts.withLock { $0[event.rawValue] += 1 } }

    func count(_ event: Event) -> Int { counts.withLock { $0[event.rawValue] } }
}

import Synchronization

/// Counts what happens to the values of one query.
final class LineCounters: Sendable {
    enum Event: Int, CaseIterable {
        case hit, miss, stale, coalesced, evicted, invalidated
    }

    /// One counter, as large as a cache line, so that threads that count do not wait for each other.
    private final class Stripe: Sendable {
        let count = Atomic(0)
        private let padding: (Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0)
    }

    private static let stripeCount = 16

    private let hits = (0..<LineCounters.stripeCount).map { _ in Stripe() }
    private let others = Event.allCases.map { _ in Stripe() }

    /// Counts a hit. The key's hash spreads hits over several counters.
    @inline(__always)
    func addHit(_ hash: Int) {
        hits[Int(UInt(bitPattern: hash) >> 60)].count.add(1, ordering: .relaxed)
    }

    func add(_ event: Event) { others[event.rawValue].count.add(1, ordering: .relaxed) }

    func count(_ event: Event) -> Int {
        let count = others[event.rawValue].count.load(ordering: .relaxed)
        return event == .hit ? hits.reduce(count) { $0 + $1.count.load(ordering: .relaxed) } : count
    }
}

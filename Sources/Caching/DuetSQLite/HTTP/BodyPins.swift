import DuetHTTPCaching
import Synchronization

/// The bodies that are being read here, and those whose pieces are to be deleted.
///
/// A body of several pieces is read in several steps. It therefore outlives its entry while it is pinned: the first
/// write after its last reader ends deletes its pieces.
final class BodyPins: Sendable {
    private struct State {
        var counts: [HTTPCacheEntry.ID: Int] = [:]
        /// The bodies without an entry, with their lengths.
        var discarded: [HTTPCacheEntry.ID: Int64] = [:]
    }

    private let state = Mutex(State())

    /// Discards bodies without an entry, because they were removed or will never be committed.
    func discard(_ bodies: [HTTPCacheEntry.ID: Int64]) {
        guard !bodies.isEmpty else { return }
        state.withLock { $0.discarded.merge(bodies) { $1 } }
    }

    /// Takes the discarded bodies that are not pinned, and pinned ones beyond a limit in bytes.
    func takeDiscarded(keeping limit: Int64) -> [HTTPCacheEntry.ID: Int64] {
        state.withLock { state in
            guard !state.discarded.isEmpty else { return [:] }
            var kept: Int64 = 0
            let taken = state.discarded.filter { id, length in
                guard state.counts[id] != nil else { return true }
                kept += length
                return kept > limit
            }
            for id in taken.keys { state.discarded[id] = nil }
            return taken
        }
    }

    fileprivate func pin(_ id: HTTPCacheEntry.ID) {
        state.withLock { $0.counts[id, default: 0] += 1 }
    }

    fileprivate func unpin(_ id: HTTPCacheEntry.ID) {
        state.withLock { state in
            let count = (state.counts[id] ?? 1) - 1
            state.counts[id] = count > 0 ? count : nil
        }
    }
}

/// The room that the accesses of a store share: its capacity, and the bodies that are being read or stored.
final class HTTPCacheRoom: Sendable {
    let capacity: StoreCapacity
    let pins = BodyPins()
    /// The number of bytes that are being stored.
    private let unfinished = Mutex<Int64>(0)

    init(_ capacity: StoreCapacity) {
        self.capacity = capacity
    }

    /// Reserves room for bytes that are being stored, up to the capacity at a time.
    func reserve(_ count: Int) -> Bool {
        unfinished.withLock { unfinished in
            guard Int64(count) <= capacity.bytes - unfinished else { return false }
            unfinished += Int64(count)
            return true
        }
    }

    func release(_ count: Int64) {
        unfinished.withLock { $0 -= count }
    }
}

/// Keeps the pieces of a body as long as it is referenced.
final class BodyPin: Sendable {
    private let id: HTTPCacheEntry.ID
    private let pins: BodyPins

    init(_ id: HTTPCacheEntry.ID, in pins: BodyPins) {
        self.id = id
        self.pins = pins
        pins.pin(id)
    }

    deinit {
        pins.unpin(id)
    }
}

import Synchronization

/// The handles of entries that were read since the last insertion.
///
/// A hit never waits here. Its report is dropped when the buffer is full, or while another thread holds the lock. The
/// eviction queues then receive the use when the entry may be evicted.
struct UseBuffer: ~Copyable, Sendable {
    /// More than the hits between two misses of a usual program, and the reads of a short loop.
    private static var capacity: Int { 1_024 }

    private let fullness = Atomic(false)
    private let handles = Mutex<[Int32]>([])

    @inline(__always)
    var isFull: Bool { fullness.load(ordering: .relaxed) }

    func report(_ entry: some Evictable) {
        let handle = entry.handle.load(ordering: .relaxed)
        guard handle >= 0 else { return }
        _ = handles.withLockIfAvailable { handles in
            guard handles.count < Self.capacity, !entry.isReported else { return }
            entry.markReported()
            handles.append(handle)
            if handles.count == Self.capacity { fullness.store(true, ordering: .relaxed) }
        }
    }

    /// Takes the reports, and leaves an empty array in their place.
    func swapReports(_ empty: inout [Int32]) {
        handles.withLock { handles in
            swap(&handles, &empty)
            fullness.store(false, ordering: .relaxed)
        }
    }
}

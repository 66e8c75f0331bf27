import Synchronization

/// The handles of entries that were read since the last insertion.
///
/// A hit never waits here. Its report is dropped when the buffer is full or another thread has it, and then the policy learns of
/// the use when the entry may be evicted.
final class UseBuffer: Sendable {
    private static var capacity: Int { 128 }

    private let isFull = Atomic(false)
    private let handles = Mutex<[Int]>([])

    func report(_ entry: some Evictable) {
        guard !isFull.load(ordering: .relaxed) else { return }
        let handle = Int(entry.handle.load(ordering: .relaxed))
        guard handle >= 0 else { return }
        _ = handles.withLockIfAvailable { handles in
            guard handles.count < Self.capacity, entry.markUseReported() else { return }
            handles.append(handle)
            if handles.count == Self.capacity { isFull.store(true, ordering: .relaxed) }
        }
    }

    /// Takes the reports, and leaves an empty array in their place.
    func swapReports(_ empty: inout [Int]) {
        handles.withLock { handles in
            swap(&handles, &empty)
            isFull.store(false, ordering: .relaxed)
        }
    }
}

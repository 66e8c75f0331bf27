import Synchronization

/// Counts what a cache does; nobody waits for anybody.
final class CacheCounts: Sendable {
    private let hits = Atomic(0)
    private let validated = Atomic(0)
    private let standIns = Atomic(0)
    private let misses = Atomic(0)
    private let storedBytes = Atomic<Int64>(0)

    var statistics: HTTPCacheStatistics {
        HTTPCacheStatistics(
            hits: hits.load(ordering: .relaxed),
            validated: validated.load(ordering: .relaxed),
            standIns: standIns.load(ordering: .relaxed),
            misses: misses.load(ordering: .relaxed),
            storedBytes: storedBytes.load(ordering: .relaxed)
        )
    }

    func count(_ status: CacheStatus) {
        if status.hit {
            hits.wrappingAdd(1, ordering: .relaxed)
        } else if status.forward == nil {
            // 504 to who wants no origin.
        } else if !status.isFromCache {
            misses.wrappingAdd(1, ordering: .relaxed)
        } else if status.detail == CacheStatus.originFailed {
            standIns.wrappingAdd(1, ordering: .relaxed)
        } else {
            validated.wrappingAdd(1, ordering: .relaxed)
        }
    }

    func countStored(_ bytes: Int64) {
        storedBytes.wrappingAdd(bytes, ordering: .relaxed)
    }
}

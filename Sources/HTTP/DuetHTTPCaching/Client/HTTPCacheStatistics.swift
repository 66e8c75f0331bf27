import Synchronization

/// Counts of the responses that an HTTP cache has given since it was created.
///
/// Requests that no stored response could satisfy are not counted: commands, queries that are sent as POST, and others
/// that go to the origin without a lookup (``ForwardReason/method`` and ``ForwardReason/bypass``).
public struct HTTPCacheStatistics: Sendable, Hashable {
    /// Responses from the cache without a request to the origin.
    public var hits: Int

    /// Responses from the cache that the origin has just confirmed.
    public var validated: Int

    /// Stale responses from the cache because the origin failed.
    public var staleOnFailure: Int

    /// Responses of the origin after a lookup found no response to use, including those that several requests share.
    public var misses: Int

    /// The number of stored bytes of bodies, including those that have been removed since.
    public var storedBytes: Int64

    /// Creates statistics.
    public init(hits: Int = 0, validated: Int = 0, staleOnFailure: Int = 0, misses: Int = 0, storedBytes: Int64 = 0) {
        self.hits = hits
        self.validated = validated
        self.staleOnFailure = staleOnFailure
        self.misses = misses
        self.storedBytes = storedBytes
    }
}

/// Counts the responses of a cache without a lock.
final class CacheCounters: Sendable {
    private let hits = Atomic(0)
    private let validated = Atomic(0)
    private let staleOnFailure = Atomic(0)
    private let misses = Atomic(0)
    private let storedBytes = Atomic<Int64>(0)

    var statistics: HTTPCacheStatistics {
        HTTPCacheStatistics(
            hits: hits.load(ordering: .relaxed),
            validated: validated.load(ordering: .relaxed),
            staleOnFailure: staleOnFailure.load(ordering: .relaxed),
            misses: misses.load(ordering: .relaxed),
            storedBytes: storedBytes.load(ordering: .relaxed)
        )
    }

    func count(_ status: CacheStatus) {
        if status.hit {
            hits.wrappingAdd(1, ordering: .relaxed)
        } else if status.forward == nil || status.forward == .method || status.forward == .bypass {
            // Neither a 504 to `only-if-cached` nor a request without a lookup is counted.
        } else if !status.isFromCache {
            misses.wrappingAdd(1, ordering: .relaxed)
        } else if status.detail == CacheStatus.originFailed {
            staleOnFailure.wrappingAdd(1, ordering: .relaxed)
        } else {
            validated.wrappingAdd(1, ordering: .relaxed)
        }
    }

    func countStored(_ bytes: Int64) {
        storedBytes.wrappingAdd(bytes, ordering: .relaxed)
    }
}

public import Duet
import Synchronization

/// Counts of reads, evictions and invalidations of one query since the cache was created.
public struct CacheStatistics: Sendable, Hashable {
    /// The number of reads that a fresh value, or a stored error, served.
    public let hits: Int

    /// The number of reads for which the handler was called.
    public let misses: Int

    /// The number of reads that a stale value served.
    ///
    /// A stale value in place of a failed load counts as a miss, too.
    public let stale: Int

    /// The number of reads that waited for a load that was running.
    public let coalesced: Int

    /// The number of usable values that were removed to make room for others.
    public let evicted: Int

    /// The number of invalidations by type or by predicate, not by tag or of everything.
    public let invalidations: Int
}

extension QueryCache {
    /// Returns the counts of a query; all are zero for a query that is not cached.
    public func statistics<Q: Query>(of query: Q.Type) -> CacheStatistics { CacheStatistics(anyQuery(query)) }

    /// The counts of each cached query, by the name of the query.
    public var statistics: [String: CacheStatistics] {
        Dictionary(queries.map { ($0.name, CacheStatistics($0)) }) { first, _ in first }
    }
}

extension CacheStatistics {
    fileprivate init(_ query: (any AnyCachedQuery)?) {
        func count(_ event: QueryCounters.Event) -> Int { query?.count(event) ?? 0 }
        hits = count(.hit)
        misses = count(.miss)
        stale = count(.stale)
        coalesced = count(.coalesced)
        evicted = count(.evicted)
        invalidations = count(.invalidated)
    }
}

/// Counts events of one query, except hits in memory, which the shards of its table count.
final class QueryCounters: Sendable {
    enum Event: Int, CaseIterable {
        case hit, miss, stale, coalesced, evicted, invalidated
    }

    private let counts = Mutex([Int](repeating: 0, count: Event.allCases.count))

    func add(_ event: Event) { counts.withLock { $0[event.rawValue] += 1 } }

    func count(_ event: Event) -> Int { counts.withLock { $0[event.rawValue] } }
}

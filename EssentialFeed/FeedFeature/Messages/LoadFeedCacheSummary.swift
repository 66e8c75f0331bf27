public import Duet

/// Loads the contents of the cache, fresh or not; nil when it is empty.
public struct LoadFeedCacheSummary: Query, Hashable {
    /// The contents of the cache.
    public typealias Value = FeedCacheSummary?

    /// Creates the query.
    public init() {}
}

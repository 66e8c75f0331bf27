public import Duet

/// Asks what the cache holds, fresh or not; nil when it is empty.
public struct LoadFeedCacheSummary: Query, Hashable {
    /// What the cache holds.
    public typealias Value = FeedCacheSummary?

    /// Makes the query.
    public init() {}
}

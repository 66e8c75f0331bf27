public import FeedFeature
public import Foundation

/// What a store offers within a transaction: the same two commands and one query, at once.
public protocol FeedStoreTransaction {
    /// Deletes the feed.
    ///
    /// - Throws: The store's own error.
    func deleteCachedFeed() throws

    /// Replaces the feed.
    ///
    /// - Throws: The store's own error.
    func insert(_ images: [FeedImage], timestamp: Date) throws

    /// The feed as this transaction sees it, or nil when there is none.
    ///
    /// - Throws: The store's own error.
    func retrieve() throws -> CachedFeed?
}

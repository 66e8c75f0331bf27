public import FeedFeature
public import Foundation

/// Keeps one feed: two commands and one query.
///
/// Side effects run in the order in which they were issued. Instances on one file see each other's work. A command that
/// fails leaves what was there.
public protocol FeedStore: Sendable {
    /// Deletes the feed and its images' bytes; does nothing when there is none.
    ///
    /// - Throws: The store's own error.
    func deleteCachedFeed() async throws

    /// Replaces the feed. The bytes of URLs that stay are kept, the others are dropped.
    ///
    /// - Throws: The store's own error.
    func insert(_ images: [FeedImage], timestamp: Date) async throws

    /// The feed, or nil when there is none.
    ///
    /// - Throws: The store's own error.
    func retrieve() async throws -> CachedFeed?

    /// Runs several steps as one: all of them happen, or none of them does.
    ///
    /// The body is synchronous, because a database transaction cannot wait for anything else. Bytes whose URL is in the
    /// feed before and after the transaction are kept, whatever the steps in between.
    ///
    /// - Throws: What `body` throws, unchanged, or the store's own error; nothing has changed then.
    func transaction(_ body: @escaping @Sendable (_ store: any FeedStoreTransaction) throws -> Void) async throws
}

public import Foundation

/// Keeps the feed for when the server is gone.
public protocol FeedCache: Sendable {
    /// Replaces the cached feed, whole or not at all.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    func save(_ feed: [FeedImage]) async throws

    /// Adds a page to the cached feed, which keeps its age.
    ///
    /// Images that are there already are left out. Nothing is added when the cached feed is no longer the one saved at
    /// `savedAt`, or does not hold `last`: the page then belongs to a feed that is gone.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    func append(_ page: [FeedImage], after last: FeedImage.ID, savedAt: Date) async throws
}

public import Foundation

/// Loads a page of the feed.
public protocol FeedLoader: Sendable {
    /// Loads the page.
    ///
    /// - Throws: ``RemoteFailure`` from a server, or a cache's own error.
    func load() async throws -> FeedPage
}

/// Saves the feed for use when the server cannot be reached.
public protocol FeedCache: Sendable {
    /// Replaces the cached feed in one step.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    func save(_ feed: [FeedImage]) async throws

    /// Adds a page to the cached feed, which keeps its age.
    ///
    /// Images that are in the feed already are skipped. Nothing is added if the cached feed is no longer the one saved
    /// at `savedAt`, or if it does not contain `last`, because the page then belongs to a replaced feed.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    func append(_ page: [FeedImage], after last: FeedImage.ID, savedAt: Date) async throws

    /// Returns when the cached feed was saved, or nil when there is none or it has expired.
    ///
    /// - Throws: The store's own error.
    func savedAt() async throws -> Date?
}

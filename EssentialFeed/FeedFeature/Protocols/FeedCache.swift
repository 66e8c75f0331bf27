public import Foundation

/// Saves the feed for the times when the server cannot be reached.
public protocol FeedCache: Sendable {
    /// Replaces the cached feed, whole or not at all.
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

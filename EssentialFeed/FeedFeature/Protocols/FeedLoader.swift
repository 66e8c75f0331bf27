/// Loads a page of the feed.
public protocol FeedLoader: Sendable {
    /// Loads the page.
    ///
    /// - Throws: ``RemoteFailure`` from a server, or a cache's own error.
    func load() async throws -> FeedPage
}

/// Loads a stretch of the feed, from wherever it is.
public protocol FeedLoader: Sendable {
    /// Loads the images.
    ///
    /// - Throws: ``RemoteFailure`` from a server, the store's own error from a cache.
    func load() async throws -> FeedPage
}

public import Foundation

/// A page of the feed, with its source.
public struct FeedPage: Hashable, Sendable {
    /// The source of a page.
    @nonexhaustive
    public enum Source: Hashable, Sendable {
        /// The server.
        case remote

        /// The cache, with the time of the save.
        case cache(savedAt: Date)

        /// No source: the server failed, and the cache had nothing usable.
        case nowhere
    }

    /// The images, in the feed's order.
    ///
    /// An empty page from the server ends the feed.
    public let images: [FeedImage]

    /// The source of the images.
    public let source: Source

    /// The server's failure, if the server was tried first.
    public let failure: RemoteFailure?

    /// Creates a page.
    public init(images: [FeedImage], source: Source, failure: RemoteFailure? = nil) {
        self.images = images
        self.source = source
        self.failure = failure
    }
}

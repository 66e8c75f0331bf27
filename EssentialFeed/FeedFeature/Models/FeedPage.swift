public import Foundation

/// A stretch of the feed, and how it came to be here.
public struct FeedPage: Hashable, Sendable {
    /// Where a page came from.
    @nonexhaustive
    public enum Source: Hashable, Sendable {
        /// The server, just now.
        case remote

        /// The cache, saved at this time.
        case cache(savedAt: Date)

        /// Nowhere: the server did not answer, and there was nothing usable in the cache.
        case nowhere
    }

    /// The images, in the feed's order.
    ///
    /// An empty page from the server ends the feed.
    public let images: [FeedImage]

    /// Where the images came from.
    public let source: Source

    /// Why the server was of no use, where it was asked first.
    public let failure: RemoteFailure?

    /// Makes a page of its parts.
    public init(images: [FeedImage], source: Source, failure: RemoteFailure? = nil) {
        self.images = images
        self.source = source
        self.failure = failure
    }
}

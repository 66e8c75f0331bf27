public import FeedFeature
public import Foundation

/// A feed in a store: the images in their order and the time they were saved.
public struct CachedFeed: Hashable, Sendable {
    /// The images.
    public let images: [FeedImage]

    /// When the feed was saved, exact to the bit.
    public let timestamp: Date

    /// Creates a cached feed.
    public init(images: [FeedImage], timestamp: Date) {
        self.images = images
        self.timestamp = timestamp
    }
}

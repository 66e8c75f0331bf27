public import FeedFeature
public import Foundation

/// A feed as a store keeps it: the images in their order, and when they were saved.
public struct CachedFeed: Hashable, Sendable {
    /// The images.
    public let images: [FeedImage]

    /// When the feed was saved, to the bit.
    public let timestamp: Date

    /// Makes a cached feed of its parts.
    public init(images: [FeedImage], timestamp: Date) {
        self.images = images
        self.timestamp = timestamp
    }
}

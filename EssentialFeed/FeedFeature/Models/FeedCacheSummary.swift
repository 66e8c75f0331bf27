public import Foundation

/// The contents of the cache.
public struct FeedCacheSummary: Hashable, Sendable {
    /// The cached images.
    public let images: [FeedImage]

    /// The time of the save.
    public let savedAt: Date

    /// Whether the images are still fresh enough to be shown.
    public let isFresh: Bool

    /// Creates a summary.
    public init(images: [FeedImage], savedAt: Date, isFresh: Bool) {
        self.images = images
        self.savedAt = savedAt
        self.isFresh = isFresh
    }
}

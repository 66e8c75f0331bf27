public import Duet
public import Foundation

/// Loads the contents of the cache, fresh or not; nil when it is empty.
public struct LoadFeedCacheSummary: Query, Hashable {
    /// The contents of the cache.
    public typealias Value = FeedCacheSummary?

    /// Creates the query.
    public init() {}
}

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

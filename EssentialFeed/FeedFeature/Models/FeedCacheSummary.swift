public import Foundation

/// What the cache holds.
public struct FeedCacheSummary: Hashable, Sendable {
    /// The cached images.
    public let images: [FeedImage]

    /// When they were saved.
    public let savedAt: Date

    /// Whether they would still be shown.
    public let isFresh: Bool

    /// Makes a summary of its parts.
    public init(images: [FeedImage], savedAt: Date, isFresh: Bool) {
        self.images = images
        self.savedAt = savedAt
        self.isFresh = isFresh
    }
}

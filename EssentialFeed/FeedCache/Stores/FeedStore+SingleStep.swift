public import FeedFeature
public import Foundation

/// A command on its own is a transaction of one step.
extension FeedStore {
    /// Deletes the feed and its images' bytes; does nothing when there is none.
    ///
    /// - Throws: The store's own error.
    public func deleteCachedFeed() async throws {
        try await transaction { try $0.deleteCachedFeed() }
    }

    /// Replaces the feed; the bytes of URLs that stay are kept, the others are dropped.
    ///
    /// - Throws: The store's own error.
    public func insert(_ images: [FeedImage], timestamp: Date) async throws {
        try await transaction { try $0.insert(images, timestamp: timestamp) }
    }
}

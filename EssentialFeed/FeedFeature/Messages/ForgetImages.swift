public import Duet
public import Foundation

/// Forgets images that the server has removed: they leave the cached feed, and their bytes the cache.
public struct ForgetImages: Command, Hashable {
    /// The images.
    public let ids: Set<FeedImage.ID>

    /// Creates the command for images.
    public init(ids: Set<FeedImage.ID>) {
        self.ids = ids
    }
}

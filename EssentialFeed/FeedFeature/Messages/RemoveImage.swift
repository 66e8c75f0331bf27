public import Duet
public import Foundation

/// Removes an image and its comments from the feed; removing it again changes nothing.
public struct RemoveImage: Command, Hashable, Codable {
    /// The image.
    public let id: FeedImage.ID

    /// Creates the command for an image.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

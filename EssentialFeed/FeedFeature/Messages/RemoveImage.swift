public import Duet
public import Foundation

/// Takes an image and its comments out of the feed; removing one that is gone changes nothing.
public struct RemoveImage: Command, Hashable, Codable {
    /// The image.
    public let id: FeedImage.ID

    /// Removes the image of an id.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

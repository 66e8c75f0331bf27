public import Duet
public import Foundation

/// Removes a comment; removing it again changes nothing.
public struct RemoveImageComment: Command, Hashable, Codable {
    /// The commented image.
    public let imageID: FeedImage.ID

    /// The comment.
    public let id: ImageComment.ID

    /// Creates the command for a comment.
    public init(imageID: FeedImage.ID, id: ImageComment.ID) {
        self.imageID = imageID
        self.id = id
    }
}

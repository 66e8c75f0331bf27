public import Foundation

/// An image has reached its limit of comments.
public struct DiscussionFull: Error, Hashable, Codable, Sendable {
    /// The image.
    public let imageID: UUID

    /// Creates an error for the commented image.
    public init(imageID: UUID) {
        self.imageID = imageID
    }
}

extension DiscussionFull: CustomStringConvertible {
    /// The refusal and what to do about it.
    public var description: String {
        """
        The image \(imageID) has \(PostImageComment.limitPerImage) comments already, and takes no more. \
        Comment on another one.
        """
    }
}

public import Foundation

/// An image has as many comments as it may have.
public struct DiscussionFull: Error, Hashable, Codable, Sendable {
    /// The image.
    public let imageID: UUID

    /// Names the image that the comment was meant for.
    public init(imageID: UUID) {
        self.imageID = imageID
    }
}

extension DiscussionFull: CustomStringConvertible {
    /// What was refused and what to do about it.
    public var description: String {
        "The image \(imageID) has \(PostImageComment.limitPerImage) comments already, and takes no more. Comment on another one."
    }
}

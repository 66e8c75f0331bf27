public import Duet
public import Foundation

/// Asks what was said about an image, in the order the server gives.
public struct LoadImageComments: Query, Hashable, Codable {
    /// The comments on the image.
    public typealias Value = [ImageComment]

    /// The image.
    public let imageID: FeedImage.ID

    /// Asks for the comments on an image.
    public init(imageID: FeedImage.ID) {
        self.imageID = imageID
    }
}

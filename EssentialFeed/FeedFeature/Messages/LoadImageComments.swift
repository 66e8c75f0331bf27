public import Duet
public import Foundation

/// Loads the comments on an image, in the server's order.
public struct LoadImageComments: Query, Hashable, Codable {
    /// The comments on the image.
    public typealias Value = [ImageComment]

    /// The image.
    public let imageID: FeedImage.ID

    /// Creates a query for the comments on an image.
    public init(imageID: FeedImage.ID) {
        self.imageID = imageID
    }
}

public import Duet
public import Foundation

/// Loads one image of the feed, without its bytes.
public struct LoadImageDetails: Query, Hashable, Codable {
    /// The image.
    public typealias Value = FeedImage

    /// The image's id.
    public let id: FeedImage.ID

    /// Creates a query for an image.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

public import Duet
public import FeedFeature

/// Asks whether an image is in the feed.
public struct IsImagePublished: Query, Hashable {
    /// Whether it is there.
    public typealias Value = Bool

    /// The image.
    public let id: FeedImage.ID

    /// Asks about the image of an id.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

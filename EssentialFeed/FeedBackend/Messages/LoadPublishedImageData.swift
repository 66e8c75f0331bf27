public import Duet
public import FeedFeature

/// Asks for the bytes of a published image.
public struct LoadPublishedImageData: Query, Hashable {
    /// The bytes and their format.
    public typealias Value = PublishedImageData

    /// The image.
    public let id: FeedImage.ID

    /// Asks for the bytes of the image of an id.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

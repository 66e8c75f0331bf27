public import Duet

/// Loads the bytes of an image from the backend that published it.
///
/// Clients send ``LoadImageData`` instead, because an image's URL may point anywhere.
public struct LoadPublishedImageData: Query, Hashable, Codable {
    /// The bytes and their format.
    public typealias Value = PublishedImageData

    /// The image.
    public let id: FeedImage.ID

    /// Creates a query for the bytes of an image.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

public import Duet

/// Asks the backend for the bytes of an image that it published.
///
/// A client has no use for it: an image's URL says where its bytes are, which may be anywhere.
public struct LoadPublishedImageData: Query, Hashable, Codable {
    /// The bytes and their format.
    public typealias Value = PublishedImageData

    /// The image.
    public let id: FeedImage.ID

    /// Asks for the bytes of the image of an id.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

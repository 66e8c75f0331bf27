public import Duet
public import Foundation

/// Loads the bytes of an image from the backend that published it.
///
/// Clients send ``LoadImageData`` instead, because an image's URL may point anywhere.
public struct LoadPublishedImageData: Query, Hashable, Codable {
    /// The bytes and their format.
    public typealias Value = PublishedImageData

    /// The image.
    public let id: FeedImage.ID

    /// The width of one of the image's versions; nil for the original.
    public let width: Int?

    /// The beginning of the hash of the bytes, which only lets other bytes have another address; nil in addresses of
    /// earlier versions.
    public let hash: String?

    /// Creates a query for the bytes of an image.
    public init(id: FeedImage.ID, width: Int? = nil, hash: String? = nil) {
        self.id = id
        self.width = width
        self.hash = hash
    }
}

/// The bytes of a published image and their format.
public struct PublishedImageData: Hashable, Sendable {
    /// The bytes, as they were published.
    public let data: Data

    /// The format of the bytes.
    public let format: ImageFormat

    /// Creates a value from bytes of a known format.
    public init(data: Data, format: ImageFormat) {
        self.data = data
        self.format = format
    }
}

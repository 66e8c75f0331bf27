public import Foundation

/// One image of the feed.
public struct FeedImage: Hashable, Identifiable, Sendable {
    /// The id, chosen by the publisher.
    public let id: UUID

    /// A description of the image, if there is one.
    public let description: String?

    /// The place where the image was taken, if it is known.
    public let location: String?

    /// The location of the bytes; never empty, always with a scheme.
    public private(set) var url: URL

    /// Creates an image.
    public init(id: UUID, description: String? = nil, location: String? = nil, url: URL) {
        self.id = id
        self.description = description
        self.location = location
        self.url = url
    }

    /// Returns this image with another location of its bytes.
    public func with(url: URL) -> FeedImage {
        var image = self
        image.url = url
        return image
    }
}

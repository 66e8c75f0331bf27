public import Duet

/// Loads the ids of the images beside one in the feed.
public struct LoadNeighbors: Query, Hashable, Codable {
    /// The images beside the image.
    public typealias Value = ImageNeighbors

    /// The image's id; the image may have been removed.
    public let id: FeedImage.ID

    /// Creates a query for an image.
    public init(of id: FeedImage.ID) {
        self.id = id
    }
}

/// The ids of the images beside one; nil for an end of the feed.
public struct ImageNeighbors: Hashable, Codable, Sendable {
    /// The newer image before it.
    public let previous: FeedImage.ID?

    /// The older image after it.
    public let next: FeedImage.ID?

    /// Creates the neighbors of an image.
    public init(previous: FeedImage.ID? = nil, next: FeedImage.ID? = nil) {
        self.previous = previous
        self.next = next
    }
}

extension ImageNeighbors {
    /// Creates the neighbors of an image in a list; none if the list does not have it.
    package init(of id: FeedImage.ID, in images: [FeedImage.ID]) {
        let index = images.firstIndex(of: id)
        self.init(
            previous: index.flatMap { $0 > 0 ? images[$0 - 1] : nil },
            next: index.flatMap { $0 + 1 < images.count ? images[$0 + 1] : nil }
        )
    }
}

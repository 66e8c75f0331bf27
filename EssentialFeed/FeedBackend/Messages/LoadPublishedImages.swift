public import Duet
public import FeedFeature
public import Foundation

/// Asks for a page of the published images, the newest first.
public struct LoadPublishedImages: Query, Hashable, Validatable {
    /// The images of the page; none at the end of the feed.
    public typealias Value = [PublishedImage]

    /// The last image of the previous page, which may have been removed since; nil asks for the first page.
    public let after: FeedImage.ID?

    /// How many images the page holds at most, 1…100.
    public let limit: Int

    /// Asks for the page after an image, or for the first one.
    public init(after: FeedImage.ID? = nil, limit: Int = 10) {
        self.after = after
        self.limit = limit
    }

    /// Checks that `limit` is within bounds.
    ///
    /// - Throws: `InvalidMessage` that names the limit.
    public func validate() throws {
        try LoadFeed(after: after, limit: limit).validate()
    }
}

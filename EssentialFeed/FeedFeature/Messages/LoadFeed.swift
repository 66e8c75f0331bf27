public import Duet
public import Foundation

/// Loads the first page of the feed, or the page after an image.
public struct LoadFeed: Query, Hashable, Codable, Validatable {
    /// A page of the feed.
    public typealias Value = FeedPage

    /// The page sizes that a server accepts.
    public static let limits = 1...100

    /// The last image of the previous page; nil for the first page.
    public let after: FeedImage.ID?

    /// The maximum number of images in the page, 1…100.
    public let limit: Int

    /// Creates a query for the page after an image, or for the first page.
    public init(after: FeedImage.ID? = nil, limit: Int = 10) {
        self.after = after
        self.limit = limit
    }

    /// Checks that a server accepts `limit`.
    ///
    /// - Throws: ``InvalidMessage`` that names the limit.
    public func validate() throws {
        guard Self.limits.contains(limit) else {
            throw InvalidMessage(field: "limit", reason: "must be a whole number from 1 to 100, not \(limit)")
        }
    }
}

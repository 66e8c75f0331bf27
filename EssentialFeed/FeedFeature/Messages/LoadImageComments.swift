public import Duet
public import Foundation

/// Loads the newest comments on an image, or those before one, in the server's order.
public struct LoadImageComments: Query, Hashable, Codable, Validatable {
    /// A page of comments.
    public typealias Value = ImageCommentPage

    /// The page sizes that a server accepts; the largest page is below 13 MB.
    public static let limits = 1...1_000

    /// The image.
    public let imageID: FeedImage.ID

    /// The maximum number of comments in the page, 1…1,000; nil for 1,000, as from a client that does not know pages.
    public let limit: Int?

    /// The first comment of the page after this one, also if it was removed; nil for the newest comments.
    public let before: ImageComment.ID?

    /// Creates a query for the newest comments on an image, or for those before one.
    public init(imageID: FeedImage.ID, limit: Int? = 50, before: ImageComment.ID? = nil) {
        self.imageID = imageID
        self.limit = limit
        self.before = before
    }

    /// Checks that a server accepts `limit`.
    ///
    /// - Throws: ``InvalidMessage`` that names the limit.
    public func validate() throws {
        guard let limit, !Self.limits.contains(limit) else { return }
        throw InvalidMessage(field: "limit", reason: "must be a whole number from 1 to 1000, not \(limit)")
    }
}

public import Duet
public import Foundation

/// Asks for the feed from its start, or for the page after an image.
public struct LoadFeed: Query, Hashable, Codable, Validatable {
    /// A page of the feed.
    public typealias Value = FeedPage

    /// What a server answers at most with.
    public static let limits = 1...100

    /// The last image already there; nil asks for the start of the feed.
    public let after: FeedImage.ID?

    /// How many images the page holds at most, 1…100.
    public let limit: Int

    /// Asks for the page after an image, or for the first one.
    public init(after: FeedImage.ID? = nil, limit: Int = 10) {
        self.after = after
        self.limit = limit
    }

    /// Checks that `limit` is one that a server accepts.
    ///
    /// - Throws: ``InvalidMessage`` that names the limit.
    public func validate() throws {
        guard Self.limits.contains(limit) else {
            throw InvalidMessage(field: "limit", reason: "must be a whole number from 1 to 100, not \(limit)")
        }
    }
}

public import Duet
public import Foundation

/// Loads a page of the images that match a text and a filter, in a chosen order.
public struct SearchFeed: Query, Hashable, Codable, Validatable {
    /// A page of found images.
    public typealias Value = FeedSearchPage

    /// The page sizes that a server accepts.
    public static let limits = LoadFeed.limits

    /// The maximum length of the search text, in characters.
    public static let textLimit = 100

    /// The words that description and location must contain, in any order; nil for all images.
    ///
    /// Case and diacritics do not matter, and a word may be a part of a longer one.
    public let searchText: String?

    /// The conditions that the images must meet, or nil for none.
    public let filter: FeedFilter?

    /// The order of the images.
    public let order: FeedOrder

    /// The last image of the previous page; nil for the first page.
    public let page: FeedCursor?

    /// The maximum number of images in the page, 1…100.
    public let limit: Int

    /// Creates a query for the first page, or for the page after a cursor.
    ///
    /// A blank text and a filter without conditions become nil, so that equal searches are equal queries.
    public init(
        _ searchText: String? = nil,
        filter: FeedFilter? = nil,
        order: FeedOrder = .newest,
        after page: FeedCursor? = nil,
        limit: Int = 10
    ) {
        let words = searchText?.split(whereSeparator: \.isWhitespace) ?? []
        self.searchText = words.isEmpty ? nil : words.joined(separator: " ")
        self.filter = filter == FeedFilter() ? nil : filter
        self.order = order
        self.page = page
        self.limit = limit
    }

    /// Checks that a server accepts the text, the filter, the cursor and the limit.
    ///
    /// - Throws: ``InvalidMessage`` that names the parameter.
    public func validate() throws {
        try LoadFeed(limit: limit).validate()
        guard (searchText?.unicodeScalars.count ?? 0) <= Self.textLimit else {
            throw InvalidMessage(field: "q", reason: "must have at most \(Self.textLimit) characters")
        }
        if let date = filter?.publishedSince, !Self.seconds.contains(date.timeIntervalSince1970) {
            throw InvalidMessage(field: "published_since", reason: "must be in a year from 1 to 9999")
        }
        if let count = page?.commentCount, count < 0 {
            throw InvalidMessage(field: "after_comments", reason: "must be 0 or more, not \(count)")
        }
    }

    /// The seconds since 1970 that are in these years; as numbers, because a range of dates contains one that is NaN.
    private static let seconds = -62_135_596_800.0...253_402_300_799.0
}

/// The order of found images.
public enum FeedOrder: String, Hashable, CaseIterable, Codable, Sendable {
    /// The newest image first, as in the feed.
    case newest

    /// The oldest image first.
    case oldest

    /// The image with the most comments first; of two with as many, the newer one.
    case mostCommented = "most_commented"
}

/// Conditions that found images must meet; a condition that is nil does not apply.
public struct FeedFilter: Hashable, Codable, Sendable {
    /// Whether the images have a location.
    public let hasLocation: Bool?

    /// Whether the images have comments.
    public let hasComments: Bool?

    /// The earliest time of publication.
    public let publishedSince: Date?

    /// Creates a filter; by default without conditions.
    public init(hasLocation: Bool? = nil, hasComments: Bool? = nil, publishedSince: Date? = nil) {
        self.hasLocation = hasLocation
        self.hasComments = hasComments
        self.publishedSince = publishedSince
    }
}

/// The position in the found images after which a page begins.
public struct FeedCursor: Hashable, Codable, Sendable {
    /// The last image of the previous page; it may have been removed.
    public let imageID: FeedImage.ID

    /// The image's number of comments on the previous page, or nil for the current one.
    ///
    /// It keeps a page of the most commented images in place when the image has new comments.
    public let commentCount: Int?

    /// Creates a cursor.
    public init(imageID: FeedImage.ID, commentCount: Int? = nil) {
        self.imageID = imageID
        self.commentCount = commentCount
    }

    /// Creates the cursor of the page after an image.
    public init(after image: FeedImage) {
        self.init(imageID: image.id, commentCount: image.commentCount)
    }
}

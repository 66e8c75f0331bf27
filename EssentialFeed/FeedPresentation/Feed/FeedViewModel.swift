public import Foundation

/// A stretch of the feed as a screen shows it.
public struct FeedViewModel: Hashable, Sendable {
    /// The screen's title.
    public let title: String

    /// The images, in the feed's order.
    public let images: [FeedImageViewModel]

    /// What the error banner says; nil shows no banner.
    public let error: String?

    /// How old a cached feed is, such as "Saved 5 minutes ago"; nil when it comes from the server.
    public let age: String?

    /// What is said in place of an empty list; nil when there are images, or when the error says why there are none.
    public let emptyMessage: String?

    /// The image after which the next page begins; nil when there is no more to load.
    public let lastImage: UUID?
}

public import Foundation

/// The comments on an image, as a screen shows them.
public struct ImageCommentsViewModel: Hashable, Sendable {
    /// The screen's title.
    public let title: String

    /// The comments, in the server's order.
    public let comments: [ImageCommentViewModel]

    /// The text of the error banner; nil for no banner.
    public let error: String?

    /// The text for an empty list; nil if there are comments or an error.
    public let emptyMessage: String?
}

/// A comment, as a screen shows it.
public struct ImageCommentViewModel: Hashable, Identifiable, Sendable {
    /// The comment's id.
    public let id: UUID

    /// The text.
    public let message: String

    /// The author's name.
    public let username: String

    /// The comment's age, such as "5 minutes ago".
    public let date: String

    /// The time when it was posted, for a screen that shows it on request.
    public let createdAt: Date
}

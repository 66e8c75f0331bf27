/// The comments on an image as a screen shows them.
public struct ImageCommentsViewModel: Hashable, Sendable {
    /// The screen's title.
    public let title: String

    /// The comments, in the order in which they came.
    public let comments: [ImageCommentViewModel]

    /// What the error banner says; nil shows no banner.
    public let error: String?

    /// What is said in place of an empty list; nil when there are comments, or when the error says why there are none.
    public let emptyMessage: String?
}

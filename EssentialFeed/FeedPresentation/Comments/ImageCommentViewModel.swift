public import Foundation

/// A comment as a screen shows it.
public struct ImageCommentViewModel: Hashable, Identifiable, Sendable {
    /// The comment's id.
    public let id: UUID

    /// What was said.
    public let message: String

    /// Who said it.
    public let username: String

    /// How long ago it was said, such as "5 minutes ago".
    public let date: String

    /// When it was said, for a screen that can tell it on request.
    public let createdAt: Date
}

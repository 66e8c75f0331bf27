public import Foundation

/// A comment on an image.
public struct ImageComment: Hashable, Identifiable, Sendable {
    /// The id, chosen by the sender.
    public let id: UUID

    /// The text.
    public let message: String

    /// The time when it was posted.
    public let createdAt: Date

    /// The author's name.
    public let username: String

    /// Creates a comment.
    public init(id: UUID, message: String, createdAt: Date, username: String) {
        self.id = id
        self.message = message
        self.createdAt = createdAt
        self.username = username
    }
}

extension ImageComment {
    /// The comment that a command posts.
    public init(_ command: PostImageComment, createdAt: Date) {
        self.init(id: command.id, message: command.message, createdAt: createdAt, username: command.username)
    }
}

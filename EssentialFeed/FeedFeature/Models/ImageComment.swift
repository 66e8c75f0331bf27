public import Foundation

/// What somebody said about an image.
public struct ImageComment: Hashable, Identifiable, Sendable {
    /// The id that its sender gave it.
    public let id: UUID

    /// What was said.
    public let message: String

    /// When it was posted.
    public let createdAt: Date

    /// Who said it.
    public let username: String

    /// Makes a comment of its parts.
    public init(id: UUID, message: String, createdAt: Date, username: String) {
        self.id = id
        self.message = message
        self.createdAt = createdAt
        self.username = username
    }
}

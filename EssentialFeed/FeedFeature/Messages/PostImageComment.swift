public import Duet
public import Foundation

/// Posts a comment on an image.
///
/// The sender chooses the id, so that posting the same comment again changes nothing. The id of a removed comment is
/// refused with ``CommentRemoved``, and that of another one with ``IDReused``.
public struct PostImageComment: Command, Hashable, Codable, Validatable {
    /// The maximum length of a message, in characters.
    public static let messageLimit = 2_000

    /// The maximum length of a user name, in characters.
    public static let usernameLimit = 64

    /// The comment's id.
    public let id: ImageComment.ID

    /// The commented image.
    public let imageID: FeedImage.ID

    /// The text: not blank, at most 2,000 characters.
    public let message: String

    /// The author's name: not blank, at most 64 characters, and none that is invisible or changes the direction.
    public let username: String

    /// Creates the command.
    public init(id: ImageComment.ID, imageID: FeedImage.ID, message: String, username: String) {
        self.id = id
        self.imageID = imageID
        self.message = message
        self.username = username
    }

    /// Checks that message and user name are present and not too long, and that the user name shows all it has.
    ///
    /// - Throws: ``InvalidMessage`` that names the field.
    public func validate() throws {
        try Self.check(message, field: "message", limit: Self.messageLimit)
        try Self.check(username, field: "username", limit: Self.usernameLimit)
        guard username.isName else {
            let reason = "must not have characters that are invisible or change the direction of the text"
            throw InvalidMessage(field: "username", reason: reason)
        }
    }

    private static func check(_ text: String, field: String, limit: Int) throws {
        guard text.isVisible else {
            throw InvalidMessage(field: field, reason: "must not be empty")
        }
        // The limit counts Unicode scalars, because a single character may consist of any number of them.
        guard text.unicodeScalars.count <= limit else {
            throw InvalidMessage(field: field, reason: "must have at most \(limit) characters")
        }
    }
}

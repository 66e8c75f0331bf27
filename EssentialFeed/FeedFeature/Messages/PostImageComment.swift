public import Duet
public import Foundation

/// Says something about an image.
///
/// The sender makes the id, so that posting the same comment again changes nothing.
public struct PostImageComment: Command, Hashable, Codable, Validatable {
    /// How long a message may be, in characters.
    public static let messageLimit = 2_000

    /// How long a user name may be, in characters.
    public static let usernameLimit = 64

    /// How many comments an image may have: all of them are one answer, of less than 13 MB at the very most.
    public static let limitPerImage = 1_000

    /// The comment's own id.
    public let id: ImageComment.ID

    /// The image that the comment is about.
    public let imageID: FeedImage.ID

    /// What is said: not blank, at most 2,000 characters.
    public let message: String

    /// Who says it: not blank, at most 64 characters.
    public let username: String

    /// Makes the command of its parts.
    public init(id: ImageComment.ID, imageID: FeedImage.ID, message: String, username: String) {
        self.id = id
        self.imageID = imageID
        self.message = message
        self.username = username
    }

    /// Checks that message and user name are there and not too long.
    ///
    /// - Throws: ``InvalidMessage`` that names the field.
    public func validate() throws {
        try Self.check(message, field: "message", limit: Self.messageLimit)
        try Self.check(username, field: "username", limit: Self.usernameLimit)
    }

    private static func check(_ text: String, field: String, limit: Int) throws {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw InvalidMessage(field: field, reason: "must not be empty")
        }
        // Unicode scalars bound the bytes; a single character may be made of any number of them.
        guard text.unicodeScalars.count <= limit else {
            throw InvalidMessage(field: field, reason: "must have at most \(limit) characters")
        }
    }
}

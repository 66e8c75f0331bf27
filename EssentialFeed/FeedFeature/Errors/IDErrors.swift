public import Foundation

/// The id of a new image or comment belongs to another one, which stays as it is.
public struct IDReused: Error, Hashable, Codable, CustomStringConvertible {
    /// The id.
    public let id: UUID

    /// Creates an error for the id.
    public init(id: UUID) {
        self.id = id
    }

    /// The refusal and its remedy.
    public var description: String { "The id \(id) was used for something else. Send this with a new id." }
}

/// The comment of this id was removed, and an id is never reused.
public struct CommentRemoved: Error, Hashable, Codable, CustomStringConvertible {
    /// The id of the removed comment.
    public let id: UUID

    /// Creates an error for the removed comment.
    public init(id: UUID) {
        self.id = id
    }

    /// The refusal.
    public var description: String { "The comment \(id) was removed, and its id cannot be used again." }
}

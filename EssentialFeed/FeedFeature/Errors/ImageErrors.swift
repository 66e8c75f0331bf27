public import Foundation

/// No image has this id.
public struct ImageNotFound: Error, Hashable, Codable, CustomStringConvertible {
    /// The requested id.
    public let id: UUID

    /// Creates an error for the missing image.
    public init(id: UUID) {
        self.id = id
    }

    /// The missing image.
    public var description: String { "There is no image \(id)." }
}

/// The image of this id was removed, and an id is never reused.
public struct ImageRemoved: Error, Hashable, Codable, CustomStringConvertible {
    /// The id of the removed image.
    public let id: UUID

    /// Creates an error for the removed image.
    public init(id: UUID) {
        self.id = id
    }

    /// The refusal and its remedy.
    public var description: String { "The image \(id) was removed, and its id cannot be used again." }
}

/// Another image of the feed has the same bytes, and the sender wants no second one.
public struct DuplicateImage: Error, Hashable, Codable, CustomStringConvertible {
    /// The id of the first image with these bytes.
    public let id: UUID

    /// Creates an error for the existing image.
    public init(id: UUID) {
        self.id = id
    }

    /// The refusal and the existing image.
    public var description: String { "The feed has this picture already, as the image \(id)." }
}

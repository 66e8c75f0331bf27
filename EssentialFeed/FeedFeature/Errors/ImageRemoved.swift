public import Foundation

/// The image of this id was removed, and what was removed is not published again.
public struct ImageRemoved: Error, Hashable, Codable, Sendable {
    /// The id that was used once.
    public let id: UUID

    /// Names the image that was removed.
    public init(id: UUID) {
        self.id = id
    }
}

extension ImageRemoved: CustomStringConvertible {
    /// What was refused and what to do about it.
    public var description: String { "The image \(id) was removed. Publish it under a new id." }
}

public import Foundation

/// There is no image of this id, or no longer.
public struct ImageNotFound: Error, Hashable, Codable, Sendable {
    /// The id that was asked for.
    public let id: UUID

    /// Names the image that is not there.
    public init(id: UUID) {
        self.id = id
    }
}

extension ImageNotFound: CustomStringConvertible {
    /// What is not there.
    public var description: String { "There is no image \(id)." }
}

public import Foundation

/// No image has this id, or it was removed.
public struct ImageNotFound: Error, Hashable, Codable, Sendable {
    /// The requested id.
    public let id: UUID

    /// Creates an error for the missing image.
    public init(id: UUID) {
        self.id = id
    }
}

extension ImageNotFound: CustomStringConvertible {
    /// The missing image.
    public var description: String { "There is no image \(id)." }
}

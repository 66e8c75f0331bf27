public import Foundation

/// Why the backend does not do what a message asks for.
@nonexhaustive
public enum BackendError: Error, Hashable {
    /// There is no image of this id, or no longer.
    case imageNotFound(UUID)

    /// The image of this id was removed, and what was removed is not published again.
    case imageRemoved(UUID)
}

extension BackendError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .imageNotFound(let id): "There is no image \(id)."
        case .imageRemoved(let id): "The image \(id) was removed. Publish it under a new id."
        }
    }
}

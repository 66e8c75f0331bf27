public import Foundation

/// Why the cache has no bytes for an image.
@nonexhaustive
public enum LocalImageDataError: Error {
    /// None are kept for this URL.
    case notFound(URL)

    /// The store could not say.
    case failed(underlying: any Error)
}

extension LocalImageDataError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .notFound(let url): "The cache has no image for \(url). Load it from the server."
        case .failed(let underlying): "The cached image could not be read: \(underlying)"
        }
    }
}

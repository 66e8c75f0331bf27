public import Foundation

/// Loads the bytes of an image, from wherever they are.
public protocol FeedImageDataLoader: Sendable {
    /// Loads the bytes, which are not empty.
    ///
    /// - Throws: ``RemoteFailure`` from a server, the loader's own error from a cache.
    func loadImageData(from url: URL) async throws -> Data
}

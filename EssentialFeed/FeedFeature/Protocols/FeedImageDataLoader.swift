public import Foundation

/// Loads the bytes of images.
public protocol FeedImageDataLoader: Sendable {
    /// Loads the bytes of an image; they are never empty.
    ///
    /// - Throws: ``RemoteFailure`` from a server, or a cache's own error.
    func loadImageData(from url: URL) async throws -> Data
}

public import Foundation

/// Loads the bytes of images.
public protocol FeedImageDataLoader: Sendable {
    /// Loads the bytes of an image; they are never empty.
    ///
    /// - Throws: ``RemoteFailure`` from a server, or a cache's own error.
    func loadImageData(from url: URL) async throws -> Data
}

/// Saves the bytes of the cached feed's images.
public protocol FeedImageDataCache: Sendable {
    /// Saves the bytes if the cached feed has an image with this URL; otherwise does nothing.
    ///
    /// - Throws: The store's own error.
    func save(_ data: Data, for url: URL) async throws
}

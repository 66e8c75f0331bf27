public import Foundation

/// Saves the bytes of the cached feed's images.
public protocol FeedImageDataCache: Sendable {
    /// Saves the bytes if the cached feed has an image with this URL; otherwise does nothing.
    ///
    /// - Throws: The store's own error.
    func save(_ data: Data, for url: URL) async throws
}

public import Foundation

/// Stores the bytes of the cached feed's images.
public protocol FeedImageDataStore: Sendable {
    /// Stores the bytes if the cached feed has an image with this URL; otherwise does nothing. The last call wins.
    ///
    /// - Throws: The store's own error.
    func insert(_ data: Data, for url: URL) async throws

    /// Returns the bytes for this URL, or nil when there are none.
    ///
    /// - Throws: The store's own error.
    func retrieve(dataForURL url: URL) async throws -> Data?
}

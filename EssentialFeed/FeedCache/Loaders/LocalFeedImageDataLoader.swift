public import FeedFeature
public import Foundation

/// Loads the bytes of images from a store and keeps them there.
public struct LocalFeedImageDataLoader: FeedImageDataLoader, FeedImageDataCache {
    private let store: any FeedImageDataStore

    /// Makes a loader on a store.
    public init(store: any FeedImageDataStore) {
        self.store = store
    }

    /// Loads the bytes kept for a URL.
    ///
    /// - Throws: ``LocalImageDataError``.
    public func loadImageData(from url: URL) async throws -> Data {
        let data: Data?
        do {
            data = try await store.retrieve(dataForURL: url)
        } catch {
            throw LocalImageDataError.failed(underlying: error)
        }
        guard let data, !data.isEmpty else { throw LocalImageDataError.notFound(url) }
        return data
    }

    /// Keeps the bytes if the cached feed has an image with this URL; otherwise does nothing.
    ///
    /// - Throws: The store's own error.
    public func save(_ data: Data, for url: URL) async throws {
        try await store.insert(data, for: url)
    }
}

public import FeedFeature
public import Foundation

/// Loads the bytes of images from a store, and saves them there.
public struct LocalFeedImageDataLoader: FeedImageDataLoader, FeedImageDataCache {
    private let store: any FeedImageDataStore

    /// Creates a loader on a store.
    public init(store: any FeedImageDataStore) {
        self.store = store
    }

    /// Loads the cached bytes of a URL.
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

    /// Saves the bytes if the cached feed has this URL, as an image or as a small version of one; otherwise does
    /// nothing.
    ///
    /// - Throws: The store's own error.
    public func save(_ data: Data, for url: URL) async throws {
        try await store.insert(data, for: url)
    }
}

/// The reason why the cache has no bytes for an image.
@nonexhaustive
public enum LocalImageDataError: Error, CustomStringConvertible {
    /// The store has no bytes for this URL.
    case notFound(URL)

    /// The store failed.
    case failed(underlying: any Error)

    /// The failure and its remedy.
    public var description: String {
        switch self {
        case .notFound(let url): "The cache has no image for \(url). Load it from the server."
        case .failed(let underlying): "The cached image could not be read: \(underlying)"
        }
    }
}

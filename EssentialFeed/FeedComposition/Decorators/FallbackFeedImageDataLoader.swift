public import FeedFeature
public import Foundation

/// Loads from elsewhere when a loader has nothing; cancellation is not a failure, and nothing else is tried then.
public struct FallbackFeedImageDataLoader: FeedImageDataLoader {
    private let primary: any FeedImageDataLoader
    private let fallback: any FeedImageDataLoader

    init(_ primary: any FeedImageDataLoader, fallback: any FeedImageDataLoader) {
        self.primary = primary
        self.fallback = fallback
    }

    /// Loads from the one, or else from the other.
    ///
    /// - Throws: The second loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        do {
            return try await primary.loadImageData(from: url)
        } catch {
            try Task.checkCancellation()
            return try await fallback.loadImageData(from: url)
        }
    }
}

extension FeedImageDataLoader {
    /// Loads from `fallback` what this loader does not have.
    public func fallingBack(to fallback: any FeedImageDataLoader) -> FallbackFeedImageDataLoader {
        FallbackFeedImageDataLoader(self, fallback: fallback)
    }
}

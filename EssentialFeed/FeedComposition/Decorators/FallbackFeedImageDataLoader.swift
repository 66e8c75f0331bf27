import FeedCache
public import FeedFeature
public import Foundation

/// Loads images from a second loader when the first one fails, but not when it is cancelled.
public struct FallbackFeedImageDataLoader: FeedImageDataLoader {
    private let primary: any FeedImageDataLoader
    private let fallback: any FeedImageDataLoader
    private let report: FailureReport

    init(_ primary: any FeedImageDataLoader, fallback: any FeedImageDataLoader, report: @escaping FailureReport) {
        self.primary = primary
        self.fallback = fallback
        self.report = report
    }

    /// Loads from the first loader, or else from the second.
    ///
    /// - Throws: The second loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        do {
            return try await primary.loadImageData(from: url)
        } catch {
            try Task.checkCancellation()
            if !error.isMiss { report("An image could not be loaded from the cache", error) }
            return try await fallback.loadImageData(from: url)
        }
    }
}

extension FeedImageDataLoader {
    /// Loads from `fallback` the images that this loader does not have; its other failures go to `report`.
    public func fallingBack(
        to fallback: any FeedImageDataLoader,
        report: @escaping FailureReport
    ) -> FallbackFeedImageDataLoader {
        FallbackFeedImageDataLoader(self, fallback: fallback, report: report)
    }
}

extension Error {
    /// Whether the cache works but does not have the image.
    fileprivate var isMiss: Bool {
        if case .notFound? = self as? LocalImageDataError { return true }
        return false
    }
}

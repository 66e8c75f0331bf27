import FeedCache
public import FeedFeature
public import Foundation

/// Loads from elsewhere when a loader has nothing; cancellation is not a failure, and nothing else is tried then.
public struct FallbackFeedImageDataLoader: FeedImageDataLoader {
    private let primary: any FeedImageDataLoader
    private let fallback: any FeedImageDataLoader
    private let report: FailureReport

    init(_ primary: any FeedImageDataLoader, fallback: any FeedImageDataLoader, report: @escaping FailureReport) {
        self.primary = primary
        self.fallback = fallback
        self.report = report
    }

    /// Loads from the one, or else from the other.
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
    /// Loads from `fallback` what this loader does not have; failures other than that go to `report`.
    public func fallingBack(
        to fallback: any FeedImageDataLoader,
        report: @escaping FailureReport
    ) -> FallbackFeedImageDataLoader {
        FallbackFeedImageDataLoader(self, fallback: fallback, report: report)
    }
}

extension Error {
    /// Whether the cache works and just does not hold the image.
    fileprivate var isMiss: Bool {
        if case .notFound? = self as? LocalImageDataError { return true }
        return false
    }
}

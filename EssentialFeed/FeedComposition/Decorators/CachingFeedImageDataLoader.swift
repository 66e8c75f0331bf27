public import FeedFeature
public import Foundation

/// Saves the bytes that another loader loads, then delivers them; a failed save is only reported.
public struct CachingFeedImageDataLoader: FeedImageDataLoader {
    private let loader: any FeedImageDataLoader
    private let cache: any FeedImageDataCache
    private let report: FailureReport

    init(_ loader: any FeedImageDataLoader, cache: any FeedImageDataCache, report: @escaping FailureReport) {
        self.loader = loader
        self.cache = cache
        self.report = report
    }

    /// Loads, saves and delivers.
    ///
    /// - Throws: The inner loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        let data = try await loader.loadImageData(from: url)
        try Task.checkCancellation()
        await reporting(to: report, "An image could not be saved") {
            try await cache.save(data, for: url)
        }
        return data
    }
}

extension FeedImageDataLoader {
    /// Saves the bytes that this loader loads; failed saves go to `report`.
    public func caching(
        into cache: any FeedImageDataCache,
        report: @escaping FailureReport
    ) -> CachingFeedImageDataLoader {
        CachingFeedImageDataLoader(self, cache: cache, report: report)
    }
}

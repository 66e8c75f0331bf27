public import FeedFeature

/// Saves the pages that another loader loads, then delivers them.
///
/// A failed save is reported, and the images are delivered all the same. A failed or cancelled load saves nothing.
public struct CachingFeedLoader: FeedLoader {
    private let loader: any FeedLoader
    private let cache: any FeedCache
    private let report: FailureReport

    init(_ loader: any FeedLoader, cache: any FeedCache, report: @escaping FailureReport) {
        self.loader = loader
        self.cache = cache
        self.report = report
    }

    /// Loads, saves and delivers.
    ///
    /// - Throws: The inner loader's error, or `CancellationError`.
    public func load() async throws -> FeedPage {
        let page = try await loader.load()
        try Task.checkCancellation()
        await reporting(to: report, "The feed could not be saved") {
            try await cache.save(page.images)
        }
        return page
    }
}

extension FeedLoader {
    /// Saves the pages that this loader loads; failed saves go to `report`.
    public func caching(into cache: any FeedCache, report: @escaping FailureReport) -> CachingFeedLoader {
        CachingFeedLoader(self, cache: cache, report: report)
    }
}

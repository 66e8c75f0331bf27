public import FeedFeature
public import Foundation

/// Adds the page that another loader loads to the cached feed, then delivers it.
///
/// The page is added only to the feed that was cached when the load began: a refresh in between makes it stale. A
/// failure of the cache is reported, and the page is delivered all the same.
public struct AppendingFeedLoader: FeedLoader {
    private let loader: any FeedLoader
    private let cache: any FeedCache
    private let last: FeedImage.ID
    private let report: FailureReport

    init(_ loader: any FeedLoader, cache: any FeedCache, last: FeedImage.ID, report: @escaping FailureReport) {
        self.loader = loader
        self.cache = cache
        self.last = last
        self.report = report
    }

    /// Loads the page, adds it to the cached feed and delivers it.
    ///
    /// - Throws: The inner loader's error, or `CancellationError`.
    public func load() async throws -> FeedPage {
        let savedAt = await cachedFeedDate()
        let page = try await loader.load()
        try Task.checkCancellation()
        if let savedAt, !page.images.isEmpty {
            await reporting(to: report, "The page could not be saved") {
                try await cache.append(page.images, after: last, savedAt: savedAt)
            }
        }
        return page
    }

    private func cachedFeedDate() async -> Date? {
        do {
            return try await cache.savedAt()
        } catch {
            report("The cached feed could not be read", error)
            return nil
        }
    }
}

extension FeedLoader {
    /// Adds the pages that this loader loads to the cached feed that contains `last`; failures of the cache go to
    /// `report`.
    public func appending(
        to cache: any FeedCache,
        after last: FeedImage.ID,
        report: @escaping FailureReport
    ) -> AppendingFeedLoader {
        AppendingFeedLoader(self, cache: cache, last: last, report: report)
    }
}

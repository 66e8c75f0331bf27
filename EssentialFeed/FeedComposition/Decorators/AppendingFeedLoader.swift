public import FeedFeature
public import Foundation

/// Adds the page that another loader loads to the cached feed, then delivers it.
///
/// The page is added only to the feed that was cached when the load began: a refresh in between makes it stale. When the
/// cache cannot be read or written that is reported, and the page is delivered all the same.
public struct AppendingFeedLoader<Cache: FeedLoader & FeedCache>: FeedLoader {
    private let loader: any FeedLoader
    private let cache: Cache
    private let last: FeedImage.ID
    private let report: FailureReport

    init(_ loader: any FeedLoader, cache: Cache, last: FeedImage.ID, report: @escaping FailureReport) {
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
            if case .cache(let savedAt) = try await cache.load().source { return savedAt }
        } catch {
            report("The cached feed could not be loaded", error)
        }
        return nil
    }
}

extension FeedLoader {
    /// Adds what this loader loads to the cached feed that holds `last`; failures of the cache go to `report`.
    public func appending<Cache: FeedLoader & FeedCache>(
        to cache: Cache,
        after last: FeedImage.ID,
        report: @escaping FailureReport
    ) -> AppendingFeedLoader<Cache> {
        AppendingFeedLoader(self, cache: cache, last: last, report: report)
    }
}

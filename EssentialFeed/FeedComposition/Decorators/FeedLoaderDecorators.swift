public import FeedFeature
public import Foundation

extension FeedLoader {
    /// Saves the pages that this loader loads; failed saves go to `report`.
    public func caching(into cache: any FeedCache, report: @escaping FailureReport) -> some FeedLoader {
        CachingFeedLoader(loader: self, cache: cache, report: report)
    }

    /// Delivers at most `limit` images of the pages that this loader loads.
    public func limited(to limit: Int) -> some FeedLoader {
        LimitedFeedLoader(loader: self, limit: limit)
    }

    /// Loads the page of this loader and adds the server's failure to it; a page from nowhere if this loader fails too.
    ///
    /// - Throws: `CancellationError`.
    func load(insteadOf failure: RemoteFailure, report: FailureReport) async throws -> FeedPage {
        try Task.checkCancellation()
        do {
            let page = try await load()
            return FeedPage(images: page.images, source: page.source, failure: failure)
        } catch {
            try Task.checkCancellation()
            report("The cached feed could not be loaded", error)
            return FeedPage(images: [], source: .nowhere, failure: failure)
        }
    }

    /// Loads from `fallback` when the server fails; failures of the fallback go to `report`.
    public func fallingBack(to fallback: any FeedLoader, report: @escaping FailureReport) -> some FeedLoader {
        FallbackFeedLoader(primary: self, fallback: fallback, report: report)
    }

    /// Adds the pages that this loader loads to the cached feed that contains `last`; failures of the cache go to
    /// `report`.
    public func appending(
        to cache: any FeedCache,
        after last: FeedImage.ID,
        report: @escaping FailureReport
    ) -> some FeedLoader {
        AppendingFeedLoader(loader: self, cache: cache, last: last, report: report)
    }
}

/// Saves the pages that another loader loads, then delivers them.
///
/// A failed save is reported, and the images are delivered all the same. A failed or canceled load saves nothing.
private struct CachingFeedLoader: FeedLoader {
    let loader: any FeedLoader
    let cache: any FeedCache
    let report: FailureReport

    func load() async throws -> FeedPage {
        let page = try await loader.load()
        try Task.checkCancellation()
        await reporting(to: report, "The feed could not be saved") {
            try await cache.save(page.images)
        }
        return page
    }
}

private struct LimitedFeedLoader: FeedLoader {
    let loader: any FeedLoader
    let limit: Int

    func load() async throws -> FeedPage {
        let page = try await loader.load()
        return FeedPage(images: Array(page.images.prefix(limit)), source: page.source, failure: page.failure)
    }
}

/// Loads from a second loader when the first one fails, and adds the failure to the page.
///
/// If the second loader has nothing usable either, the page is empty and still has the failure, so that the screen can
/// show a reason. A canceled load does not fall back.
private struct FallbackFeedLoader: FeedLoader {
    let primary: any FeedLoader
    let fallback: any FeedLoader
    let report: FailureReport

    func load() async throws -> FeedPage {
        do {
            return try await primary.load()
        } catch let failure as RemoteFailure {
            return try await fallback.load(insteadOf: failure, report: report)
        }
    }
}

/// Adds the page that another loader loads to the cached feed, then delivers it.
///
/// The page is added only to the feed that was cached when the load began: a refresh in between makes it stale. A
/// failure of the cache is reported, and the page is delivered all the same.
private struct AppendingFeedLoader: FeedLoader {
    let loader: any FeedLoader
    let cache: any FeedCache
    let last: FeedImage.ID
    let report: FailureReport

    func load() async throws -> FeedPage {
        let savedAt = await reporting(to: report, "The cached feed could not be read") { try await cache.savedAt() }
        let page = try await loader.load()
        try Task.checkCancellation()
        if let savedAt = savedAt ?? nil, !page.images.isEmpty {
            await reporting(to: report, "The page could not be saved") {
                try await cache.append(page.images, after: last, savedAt: savedAt)
            }
        }
        return page
    }
}

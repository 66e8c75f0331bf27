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

/// A failed or canceled load saves nothing.
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

/// A canceled load does not fall back.
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

/// A page is added only to the feed that was cached when its load began: a refresh in between makes it stale.
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

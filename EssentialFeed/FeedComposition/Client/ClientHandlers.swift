import Duet
import DuetCaching
import DuetDependencies
import DuetMacros
import FeedAPI
import FeedCache
import FeedFeature
import Foundation
import Logging

/// Loads the first page from the server and saves it, or else loads it from the cache; appends later pages to the
/// cache.
///
/// Saving replaces the cached feed. Together with the first page, the same request therefore loads as many images as
/// are cached, up to the server's limit, so that a refresh keeps the cached later pages and renews them.
@Resolvable
struct LoadFeedHandler: QueryHandler {
    let server: RemoteDispatcher
    let local: LocalFeedLoader
    let cache: QueryCache
    let logger: Logger

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        let page = try await load(query)
        cache.follow(page)
        return page
    }

    private func load(_ query: LoadFeed) async throws -> FeedPage {
        if let last = query.after {
            return try await RemoteFeedLoader(query, from: server)
                .appending(to: local, after: last, report: logger.report)
                .load()
        }
        let cached = await reporting(to: logger.report, "The cached feed could not be read") { try await local.count() }
        let limit = max(query.limit, min(cached ?? 0, LoadFeed.limits.upperBound))
        return try await RemoteFeedLoader(LoadFeed(limit: limit), from: server)
            .caching(into: local, report: logger.report)
            .limited(to: query.limit)
            .fallingBack(to: local, report: logger.report)
            .load()
    }
}

/// Loads the bytes of an image from the store, or else from their URL.
@Resolvable
struct LoadImageDataHandler: QueryHandler {
    let loader: any FeedImageDataLoader

    func handle(_ query: LoadImageData) async throws -> Data {
        try await loader.loadImageData(from: query.url)
    }
}

/// Loads the bytes of one of several locations from the store.
@Resolvable
struct LoadKeptImageDataHandler: QueryHandler {
    let store: any FeedImageDataStore

    func handle(_ query: LoadKeptImageData) async throws -> Data? {
        for url in query.urls {
            if let data = try await store.retrieve(dataForURL: url), !data.isEmpty { return data }
        }
        return nil
    }
}

@Resolvable
struct RemoveInvalidFeedCacheHandler: CommandHandler {
    let local: LocalFeedLoader

    func handle(_ command: RemoveInvalidFeedCache) async throws {
        try await local.removeInvalidCache()
    }
}

/// Deletes the cache; loads in flight save nothing afterwards.
@Resolvable
struct ClearFeedCacheHandler: CommandHandler {
    let store: any FeedStore
    let cache: QueryCache

    func handle(_ command: ClearFeedCache) async throws {
        try await store.transaction { [cache] store in
            // The rules invalidate only after the command, when a load in flight may have saved after the deletion.
            // Within the transaction, a load saves before the deletion or is refused.
            cache.invalidate(LoadFeed.self)
            try store.deleteCachedFeed()
        }
    }
}

@Resolvable
struct ForgetImagesHandler: CommandHandler {
    let local: LocalFeedLoader

    func handle(_ command: ForgetImages) async throws {
        try await local.remove(command.ids)
    }
}

@Resolvable
struct LoadFeedCacheSummaryHandler: QueryHandler {
    let store: any FeedStore
    let policy: FeedCachePolicy
    let now: CurrentDate

    func handle(_ query: LoadFeedCacheSummary) async throws -> FeedCacheSummary? {
        guard let cached = try await store.retrieve() else { return nil }
        return FeedCacheSummary(
            images: cached.images,
            savedAt: cached.timestamp,
            isFresh: policy.isFresh(cached.timestamp, at: now())
        )
    }
}

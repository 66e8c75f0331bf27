import DuetMacros
import FeedCache
import FeedFeature
import Foundation

/// Removes the cache if it is invalid.
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
    let invalidation: Invalidation

    func handle(_ command: ClearFeedCache) async throws {
        try await invalidation.run {
            try await store.deleteCachedFeed()
        }
    }
}

/// Loads the contents of the store.
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

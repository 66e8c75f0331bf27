import DuetMacros
import FeedCache
import FeedFeature

/// Deletes the cache; loads that are under way save nothing after it.
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

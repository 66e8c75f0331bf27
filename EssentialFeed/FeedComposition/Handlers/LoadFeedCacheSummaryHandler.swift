import DuetMacros
import FeedCache
import FeedFeature
import Foundation

/// Says what the store holds.
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

import Duet
import FeedCache
import FeedFeature

/// Has the cache removed if it is invalid.
struct RemoveInvalidFeedCacheHandler: CommandHandler {
    let local: @Sendable () -> LocalFeedLoader

    func handle(_ command: RemoveInvalidFeedCache) async throws {
        try await local().removeInvalidCache()
    }
}

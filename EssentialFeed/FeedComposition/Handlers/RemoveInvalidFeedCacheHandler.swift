import DuetMacros
import FeedCache
import FeedFeature

/// Has the cache removed if it is invalid.
@Resolvable
struct RemoveInvalidFeedCacheHandler: CommandHandler {
    let local: LocalFeedLoader

    func handle(_ command: RemoveInvalidFeedCache) async throws {
        try await local.removeInvalidCache()
    }
}

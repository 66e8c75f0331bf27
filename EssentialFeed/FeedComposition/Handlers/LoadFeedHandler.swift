import DuetMacros
import FeedAPI
import FeedCache
import FeedFeature
import Logging

/// The start of the feed from the server, saved, or else from the cache; a later page from the server, added to the cache.
@Resolvable
struct LoadFeedHandler: QueryHandler {
    let server: RemoteDispatcher
    let local: LocalFeedLoader
    let logger: Logger

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        let remote = RemoteFeedLoader(query, from: server)
        if let last = query.after {
            return try await remote.appending(to: local, after: last, report: logger.report).load()
        }
        return
            try await remote
            .caching(into: local, report: logger.report)
            .fallingBack(to: local, report: logger.report)
            .load()
    }
}

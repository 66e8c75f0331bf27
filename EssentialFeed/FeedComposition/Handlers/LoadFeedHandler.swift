import Duet
import DuetHTTP
import FeedAPI
import FeedCache
import FeedFeature
import Foundation

/// The start of the feed from the server, saved, or else from the cache; a later page from the server, added to the cache.
struct LoadFeedHandler: QueryHandler {
    let baseURL: URL
    let client: any HTTPClient
    let local: @Sendable () -> LocalFeedLoader
    let report: FailureReport

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        let remote = RemoteFeedLoader(baseURL: baseURL, client: client, after: query.after, limit: query.limit)
        let local = local()
        if let last = query.after {
            return try await remote.appending(to: local, after: last, report: report).load()
        }
        return
            try await remote
            .caching(into: local, report: report)
            .fallingBack(to: local, report: report)
            .load()
    }
}

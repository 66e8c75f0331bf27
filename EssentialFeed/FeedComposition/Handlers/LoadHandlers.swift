import DuetMacros
import FeedAPI
import FeedCache
import FeedFeature
import Foundation
import Logging

/// Loads the first page from the server and saves it, or else loads it from the cache; appends later pages to the
/// cache.
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

/// Loads the bytes of an image with the loader that all screens share.
@Resolvable
struct LoadImageDataHandler: QueryHandler {
    let loader: any FeedImageDataLoader

    func handle(_ query: LoadImageData) async throws -> Data {
        try await loader.loadImageData(from: query.url)
    }
}

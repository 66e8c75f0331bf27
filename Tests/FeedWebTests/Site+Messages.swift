import DuetTesting
import FeedFeature
import Foundation

extension Site {
    /// A message that the pages dispatched.
    enum Message: Hashable {
        case loadFeed(after: UUID?)
        case loadFeedCacheSummary
        case loadImageData(URL)
        case loadImageComments(UUID)
    }

    /// The preset results of the pages' queries.
    struct Answers {
        var feed: @Sendable (_ after: UUID?) throws -> FeedPage = { _ in FeedPage(images: [], source: .remote) }
        var cached: @Sendable () throws -> [FeedImage]? = { nil }
        var imageData: @Sendable (_ url: URL) throws -> Data = { _ in jpeg }
        var comments: @Sendable (_ imageID: UUID) throws -> [ImageComment] = { _ in [] }

        func stub(_ spy: SpyDispatcher) {
            spy.stub(LoadFeed.self) { [feed] in try feed($0.after) }
            spy.stub(LoadFeedCacheSummary.self) { [cached] _ in
                try cached().map { FeedCacheSummary(images: $0, savedAt: Site.now, isFresh: true) }
            }
            spy.stub(LoadImageData.self) { [imageData] in try imageData($0.url) }
            spy.stub(LoadImageComments.self) { [comments] in try comments($0.imageID) }
        }
    }

    /// The messages that the pages dispatched, in order.
    var messages: [Message] {
        spy.messages.compactMap { message in
            switch message {
            case let query as LoadFeed: .loadFeed(after: query.after)
            case is LoadFeedCacheSummary: .loadFeedCacheSummary
            case let query as LoadImageData: .loadImageData(query.url)
            case let query as LoadImageComments: .loadImageComments(query.imageID)
            default: nil
            }
        }
    }
}

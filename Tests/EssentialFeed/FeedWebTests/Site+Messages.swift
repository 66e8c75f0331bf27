import Duet
import DuetTesting
import FeedFeature
import Foundation

extension Site {
    /// A message that the pages dispatched.
    enum Message: Hashable {
        case loadFeed(after: UUID?)
        case search(SearchFeed)
        case loadFeedCacheSummary
        case loadImageData(URL)
        case loadImageComments(UUID)
        case loadPermissions
        case post(UUID, on: UUID, message: String, username: String)
        case publish(UUID, description: String?, location: String?, size: Int)
        case remove(UUID)
        case correct(UUID, description: String?, caption: String?, location: String?)
        case removeComment(UUID, on: UUID)
        case loadDetails(UUID)
        case loadNeighbors(UUID)
        case forget(Set<UUID>)
        case clearCache
    }

    /// The preset results of the pages' queries.
    struct Answers {
        var feed: @Sendable (_ after: UUID?) throws -> FeedPage = { _ in FeedPage(images: [], source: .remote) }
        var search: @Sendable (_ query: SearchFeed) throws -> FeedSearchPage = { _ in
            FeedSearchPage(images: [], source: .remote)
        }
        var details: @Sendable (_ id: UUID) throws -> FeedImage = { throw ImageNotFound(id: $0) }
        var neighbors: @Sendable (_ id: UUID) throws -> ImageNeighbors = { _ in ImageNeighbors() }
        var cached: @Sendable () throws -> [FeedImage]? = { nil }
        /// The bytes in the store.
        var kept: [URL: Data] = [:]
        var imageData: @Sendable (_ url: URL) throws -> Data = { _ in jpeg }
        var comments: @Sendable (_ imageID: UUID) throws -> [ImageComment] = { _ in [] }
        /// Refuses a command before it is recorded as carried out.
        var command: @Sendable (_ command: any Command) throws -> Void = { _ in }
        var permissions: @Sendable () throws -> Set<Permission> = { [.publish] }

        func stub(_ spy: SpyDispatcher) {
            spy.stub(LoadFeed.self) { [feed] in try feed($0.after) }
            // Validated as by the client's dispatcher.
            spy.stub(SearchFeed.self) { [search] in
                try $0.validate()
                return try search($0)
            }
            spy.stub(LoadFeedCacheSummary.self) { [cached] _ in
                try cached().map { FeedCacheSummary(images: $0, savedAt: Site.now, isFresh: true) }
            }
            spy.stub(LoadKeptImageData.self) { [kept] in $0.urls.compactMap { kept[$0] }.first }
            spy.stub(LoadImageData.self) { [imageData] in try imageData($0.url) }
            spy.stub(LoadImageComments.self) { [comments] in
                ImageCommentPage(of: try comments($0.imageID), answering: $0)
            }
            spy.stub(LoadPermissions.self) { [permissions] _ in try permissions() }
            // Validated as by the client's dispatcher.
            spy.stub(PostImageComment.self) { [command] in
                try $0.validate()
                try command($0)
            }
            spy.stub(PublishImage.self) { [command] in
                try $0.validate()
                try command($0)
            }
            spy.stub(LoadImageDetails.self) { [details] in try details($0.id) }
            spy.stub(LoadNeighbors.self) { [neighbors] in try neighbors($0.id) }
            spy.stub(CorrectImage.self) { [command] in
                try $0.validate()
                try command($0)
            }
            spy.stub(RemoveImageComment.self) { [command] in try command($0) }
            spy.stub(RemoveImage.self) { [command] in try command($0) }
            spy.stub(ForgetImages.self) { _ in }
            spy.stub(ClearFeedCache.self) { _ in }
        }
    }

    /// The messages that the pages dispatched, in order.
    var messages: [Message] {
        spy.messages.compactMap { message in
            switch message {
            case let query as LoadFeed: .loadFeed(after: query.after)
            case let query as SearchFeed: .search(query)
            case is LoadFeedCacheSummary: .loadFeedCacheSummary
            case let query as LoadImageData: .loadImageData(query.url)
            case let query as LoadImageComments: .loadImageComments(query.imageID)
            case is LoadPermissions: .loadPermissions
            case let command as PostImageComment:
                .post(command.id, on: command.imageID, message: command.message, username: command.username)
            case let command as PublishImage:
                .publish(
                    command.id,
                    description: command.description,
                    location: command.location,
                    size: command.data.count
                )
            case let query as LoadImageDetails: .loadDetails(query.id)
            case let query as LoadNeighbors: .loadNeighbors(query.id)
            case let command as CorrectImage:
                .correct(
                    command.id,
                    description: command.description,
                    caption: command.caption,
                    location: command.location
                )
            case let command as RemoveImageComment: .removeComment(command.id, on: command.imageID)
            case let command as RemoveImage: .remove(command.id)
            case let command as ForgetImages: .forget(command.ids)
            case is ClearFeedCache: .clearCache
            default: nil
            }
        }
    }
}

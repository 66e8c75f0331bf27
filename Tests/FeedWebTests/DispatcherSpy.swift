import Duet
import FeedFeature
import Foundation
import Synchronization

/// Answers the three queries as a test says, and records what was asked.
final class DispatcherSpy: QueryDispatcher {
    enum Message: Hashable, Sendable {
        case loadFeed(after: UUID?)
        case loadImageData(URL)
        case loadImageComments(UUID)
    }

    struct Answers: Sendable {
        var feed: @Sendable (_ after: UUID?) throws -> FeedPage = { _ in FeedPage(images: [], source: .remote) }
        var imageData: @Sendable (_ url: URL) throws -> Data = { _ in jpeg }
        var comments: @Sendable (_ imageID: UUID) throws -> [ImageComment] = { _ in [] }
    }

    private struct UnexpectedQuery: Error {}

    private let answers: Answers
    private let recorded = Mutex<[Message]>([])

    init(_ answers: Answers) {
        self.answers = answers
    }

    var messages: [Message] { recorded.withLock { $0 } }

    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        let value: Any
        switch query {
        case let query as LoadFeed:
            record(.loadFeed(after: query.after))
            value = try answers.feed(query.after)
        case let query as LoadImageData:
            record(.loadImageData(query.url))
            value = try answers.imageData(query.url)
        case let query as LoadImageComments:
            record(.loadImageComments(query.imageID))
            value = try answers.comments(query.imageID)
        default:
            throw UnexpectedQuery()
        }
        guard let value = value as? Q.Value else { throw UnexpectedQuery() }
        return value
    }

    private func record(_ message: Message) {
        recorded.withLock { $0.append(message) }
    }
}

import Duet
import DuetDependencies
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import Synchronization

extension TestBackend {
    /// Publishes an image with texts, and posts a number of comments on it.
    func publish(_ number: Int, _ description: String? = nil, at location: String? = nil, comments: Int = 0)
        async throws
    {
        let image = PublishImage(id: .number(number), description: description, location: location, data: .tinyImage)
        try await dispatcher.dispatch(image)
        try await comment(on: number, count: comments)
    }

    /// Posts a number of new comments on an image.
    func comment(on number: Int, count: Int = 1) async throws {
        let known = count == 0 ? 0 : try await comments(on: .number(number)).count
        for index in known..<known + count {
            let id = UUID.number(number * 1_000 + index)
            try await dispatcher.dispatch(
                PostImageComment(id: id, imageID: .number(number), message: "Hello", username: "somebody")
            )
        }
    }

    func remove(_ number: Int) async throws {
        try await dispatcher.dispatch(RemoveImage(id: .number(number)))
    }

    /// Returns the numbers of the found images, in order.
    func found(_ query: SearchFeed) async throws -> [UUID] {
        try await dispatcher.dispatch(query).images.map(\.id)
    }
}

extension [UUID] {
    static func numbers(_ numbers: Int...) -> [UUID] { numbers.map { .number($0) } }
}

/// A date that a test moves.
final class MovableDate: Sendable {
    private let date = Mutex(TestBackend.now)

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
}

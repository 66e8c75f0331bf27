import Duet
import DuetCaching
import DuetTesting
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CachedCommentsTests {
    private let client: CachedClient
    private let first = LoadImageComments(imageID: .fixture(1))
    private let second = LoadImageComments(imageID: .fixture(2))
    private let post = PostImageComment(id: .fixture(9), imageID: .fixture(1), message: "Hello", username: "me")

    private var dispatcher: any Dispatcher { client.dispatcher }

    init() async throws {
        client = try await CachedClient()
    }

    private func path(_ query: LoadImageComments) -> String {
        "GET /v1/image/\(query.imageID)/comments" + "?limit=50" + (query.before.map { "&before_id=\($0)" } ?? "")
    }

    @Test func `comments come from memory for ten seconds, exclusively`() async throws {
        for (interval, requests) in [(0, 1), (9.999, 1), (0.001, 2), (0.001, 2), (10, 3)] {
            client.date.advance(by: interval)
            _ = try await dispatcher.dispatch(first)
            #expect(client.server.count(path(first)) == requests)
        }
    }

    @Test func `after a comment was posted its image's comments are loaded, and others stay cached`() async throws {
        #expect(try await dispatcher.dispatch(first).comments == [])
        #expect(try await dispatcher.dispatch(second).comments == [])
        try await dispatcher.dispatch(post)
        #expect(try await dispatcher.dispatch(first).comments.count == 1)
        #expect(try await dispatcher.dispatch(second).comments == [])
        #expect(client.server.count(path(first)) == 2)
        #expect(client.server.count(path(second)) == 1)
    }

    @Test func `after a comment was posted or removed earlier pages of its image are loaded, too`() async throws {
        let earlier = LoadImageComments(imageID: .fixture(1), before: .fixture(8))
        _ = try await dispatcher.dispatch(earlier)
        _ = try await dispatcher.dispatch(earlier)
        #expect(client.server.count(path(earlier)) == 1)
        try await dispatcher.dispatch(post)
        _ = try await dispatcher.dispatch(earlier)
        #expect(client.server.count(path(earlier)) == 2)
        try await dispatcher.dispatch(RemoveImageComment(imageID: .fixture(1), id: .fixture(7)))
        _ = try await dispatcher.dispatch(earlier)
        #expect(client.server.count(path(earlier)) == 3)
    }

    @Test func `a post changes only the newest page before the server has it`() async throws {
        let old = ImageComment(id: .fixture(1), message: "m", createdAt: .distantPast, username: "u")
        let new = ImageComment(post, createdAt: .distantFuture)
        func page(_ limit: Int?, before: UUID? = nil) -> [UUID] {
            let query = LoadImageComments(imageID: .fixture(1), limit: limit, before: before)
            var page = ImageCommentPage(comments: [old])
            page.add(new, answering: query)
            page.add(new, answering: query)
            #expect(page.hasEarlier == (page.comments == [new]))
            return page.comments.map(\.id)
        }
        #expect(page(nil) == [old.id, new.id])
        #expect(page(2) == [old.id, new.id])
        #expect(page(1) == [new.id])
        #expect(page(1, before: .fixture(2)) == [old.id])
    }

    @Test func `a post that fails may have arrived, so the comments are loaded`() async throws {
        _ = try await dispatcher.dispatch(first)
        client.server.setDown(true)
        await #expect(throws: RemoteFailure.self) { try await dispatcher.dispatch(post) }
        client.server.setDown(false)
        _ = try await dispatcher.dispatch(first)
        #expect(client.server.count(path(first)) == 2)
    }

    @Test func `comments that were requested before a post are neither cached nor shared after it`() async throws {
        let gate = client.server.hold(path(first))
        let early = Task { try await dispatcher.dispatch(first) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(post)
        #expect(try await dispatcher.dispatch(first).comments.count == 1)
        gate.open()
        #expect(try await early.value.comments == [])
        #expect(try await dispatcher.dispatch(first).comments.count == 1)
        #expect(client.server.count(path(first)) == 2)
    }

    @Test func `after an image was removed its comments are loaded, and others stay cached`() async throws {
        _ = try await dispatcher.dispatch(first)
        _ = try await dispatcher.dispatch(second)
        try await dispatcher.dispatch(RemoveImage(id: .fixture(1)))
        _ = try await dispatcher.dispatch(first)
        _ = try await dispatcher.dispatch(second)
        #expect(client.server.count(path(first)) == 2)
        #expect(client.server.count(path(second)) == 1)
    }

    @Test func `after the cache was cleared all comments are loaded`() async throws {
        _ = try await dispatcher.dispatch(first)
        try await dispatcher.dispatch(ClearFeedCache())
        _ = try await dispatcher.dispatch(first)
        #expect(client.server.count(path(first)) == 2)
    }

    @Test func `a failure is not cached`() async throws {
        client.server.setDown(true)
        await #expect(throws: RemoteFailure.self) { try await dispatcher.dispatch(first) }
        client.server.setDown(false)
        #expect(try await dispatcher.dispatch(first).comments == [])
    }

    @Test func `an observer sees a comment before the server has it`() async throws {
        var updates = QueryUpdates(dispatcher.observe(first).map(\.comments))
        while case .value(let comments) = await updates.next(), !comments.isEmpty {}
        let gate = client.server.hold("POST")
        let posting = Task { try await dispatcher.dispatch(post) }
        await gate.arrivals(1)
        while case .value(let comments)? = await updates.next(), comments.map(\.id) != [post.id] {}
        gate.open()
        try await posting.value
        // The comment has the server's id in the stub, so this is the server's list.
        while case .value(let comments)? = await updates.next(), comments.map(\.id) != [.fixture(1)] {}
    }

    @Test func `an observer loses a comment that the server did not accept`() async throws {
        var updates = QueryUpdates(dispatcher.observe(first).map(\.comments))
        while case .value(let comments) = await updates.next(), !comments.isEmpty {}
        let gate = client.server.hold("POST")
        client.server.setDown(true)
        let posting = Task { try await dispatcher.dispatch(post) }
        await gate.arrivals(1)
        while case .value(let comments)? = await updates.next(), comments.map(\.id) != [post.id] {}
        client.server.setDown(false)
        gate.open()
        await #expect(throws: RemoteFailure.self) { try await posting.value }
        while case .value(let comments)? = await updates.next(), !comments.isEmpty {}
    }
}

import Duet
import DuetCaching
import DuetTesting
import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CachedSearchTests {
    private let client: CachedClient
    private let path = "GET /v1/feed/search"
    private static let post = PostImageComment(
        id: .fixture(9),
        imageID: .fixture(1),
        message: "Hello",
        username: "me"
    )

    private var dispatcher: any Dispatcher { client.dispatcher }

    init() async throws {
        client = try await CachedClient()
        client.server.serve(.fixture(1), .fixture(2))
    }

    @Test func `results come from memory for ten seconds, exclusively`() async throws {
        for (interval, requests) in [(0, 1), (9.999, 1), (0.001, 2), (0.001, 2), (10, 3)] {
            client.date.advance(by: interval)
            let page = try await dispatcher.dispatch(SearchFeed("a"))
            #expect(page.images.map(\.id) == [.fixture(1), .fixture(2)])
            #expect(page.source == .remote)
            #expect(client.server.count(path) == requests)
        }
    }

    @Test func `each search has its own results, and equal searches share them`() async throws {
        let filter = FeedFilter(hasLocation: true)
        let cursor = FeedCursor(imageID: .fixture(1), commentCount: 0)
        let queries = [
            SearchFeed(), SearchFeed("a"), SearchFeed("a", filter: filter), SearchFeed("a", order: .oldest),
            SearchFeed("a", after: cursor), SearchFeed("a", limit: 20),
        ]
        for query in queries + queries { _ = try await dispatcher.dispatch(query) }
        _ = try await dispatcher.dispatch(SearchFeed(" a ", filter: FeedFilter()))
        #expect(client.server.count(path) == queries.count)
    }

    @Test func `concurrent searches share a request`() async throws {
        let gate = client.server.hold(path)
        let searches = (0..<10).map { _ in Task { try await dispatcher.dispatch(SearchFeed("a")) } }
        await client.cache.joiners(9, of: SearchFeed.self)
        gate.open()
        for search in searches { #expect(try await search.value.images.count == 2) }
        #expect(client.server.count(path) == 1)
    }

    @Test(
        arguments: [
            post, PublishImage(id: .fixture(9), data: .tinyImage), RemoveImage(id: .fixture(1)),
            ClearFeedCache(),
        ] as [any Command]
    )
    func `a command that changes the feed makes results stale`(command: any Command) async throws {
        _ = try await dispatcher.dispatch(SearchFeed("a"))
        try await dispatcher.dispatch(command)
        _ = try await dispatcher.dispatch(SearchFeed("a"))
        #expect(client.server.count(path) == 2)
    }

    @Test func `results after a comment have its number`() async throws {
        #expect(try await dispatcher.dispatch(SearchFeed()).images.map(\.commentCount) == [0, 0])
        try await dispatcher.dispatch(Self.post)
        #expect(try await dispatcher.dispatch(SearchFeed()).images.map(\.commentCount) == [1, 0])
    }

    @Test func `results that were requested before a comment are neither cached nor shared after it`() async throws {
        let gate = client.server.hold(path)
        let early = Task { try await dispatcher.dispatch(SearchFeed()) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(Self.post)
        #expect(try await dispatcher.dispatch(SearchFeed()).images.first?.commentCount == 1)
        gate.open()
        #expect(try await early.value.images.first?.commentCount == 0)
        #expect(try await dispatcher.dispatch(SearchFeed()).images.first?.commentCount == 1)
        #expect(client.server.count(path) == 2)
    }

    @Test func `a search neither changes the saved feed nor makes images stale`() async throws {
        _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
        _ = try await dispatcher.dispatch(SearchFeed())
        #expect(try await client.store.retrieve()?.images.map(\.id) == [.fixture(1)])
    }

    @Test(arguments: [SearchFeed(limit: 0), SearchFeed(String(repeating: "a", count: 101))])
    func `an invalid search does not reach the cache`(query: SearchFeed) async throws {
        await #expect(throws: InvalidMessage.self) { try await dispatcher.dispatch(query) }
        #expect(client.cache.statistics(of: SearchFeed.self).misses == 0)
        #expect(client.server.requests == [])
    }
}

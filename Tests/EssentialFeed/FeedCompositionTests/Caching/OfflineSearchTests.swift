import Duet
import DuetTesting
import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

/// Searches, and the images beside one, while the server is gone.
@Suite(.timeLimit(.minutes(5))) struct OfflineSearchTests {
    private let client: CachedClient

    private var dispatcher: any Dispatcher { client.dispatcher }

    init() async throws {
        client = try await CachedClient()
        client.server.setDown(true)
    }

    private func save(_ numbers: Int...) async throws {
        try await client.store.insert(numbers.map { .fixture($0) }, timestamp: client.date.now())
    }

    private func found(_ query: SearchFeed) async throws -> [UUID] {
        try await dispatcher.dispatch(query).images.map(\.id)
    }

    @Test func `the saved feed is searched, with its age and the failure`() async throws {
        try await save(1, 2, 3)
        let page = try await dispatcher.dispatch(SearchFeed("DESCRICAO περιγραφη"))
        #expect(page.images == [.fixture(1), .fixture(3)])
        #expect(page.source == .cache(savedAt: client.date.now()))
        #expect(page.failure?.kind == .connectivity)
        #expect(page.unapplied == [])
    }

    @Test func `texts, locations and the order apply to the saved feed`() async throws {
        try await save(1, 2, 3, 4)
        #expect(try await found(SearchFeed("line second")) == [.fixture(1), .fixture(2), .fixture(4)])
        let located = FeedFilter(hasLocation: true)
        #expect(try await found(SearchFeed(filter: located)) == [.fixture(1), .fixture(2), .fixture(4)])
        #expect(try await found(SearchFeed(filter: FeedFilter(hasLocation: false))) == [.fixture(3)])
        #expect(try await found(SearchFeed("description", order: .oldest)) == [.fixture(3), .fixture(1)])
        #expect(try await found(SearchFeed("nothing")) == [])
    }

    @Test func `conditions that the saved feed knows nothing about are left out and named`() async throws {
        try await save(1, 2)
        let filter = FeedFilter(hasLocation: true, hasComments: true, publishedSince: .fixture)
        let page = try await dispatcher.dispatch(SearchFeed(filter: filter, order: .mostCommented))
        #expect(page.images.map(\.id) == [.fixture(1), .fixture(2)])
        #expect(page.unapplied == Set(FeedSearchPage.Condition.allCases))
        let comments = try await dispatcher.dispatch(SearchFeed(filter: FeedFilter(hasComments: false)))
        #expect(comments.unapplied == [.hasComments])
    }

    @Test func `all results are one page, whatever the limit`() async throws {
        try await save(1, 2, 3)
        #expect(try await found(SearchFeed(limit: 1)).count == 3)
    }

    @Test func `a later page that fails does not use the saved feed`() async throws {
        try await save(1, 2)
        let query = SearchFeed(after: FeedCursor(imageID: .fixture(1)))
        await #expect(throws: RemoteFailure.self) { try await dispatcher.dispatch(query) }
    }

    @Test func `with nothing saved the results are empty and have the failure`() async throws {
        let page = try await dispatcher.dispatch(SearchFeed("a"))
        #expect(page.images == [])
        #expect(page.source == .nowhere)
        #expect(page.failure?.kind == .connectivity)
    }

    @Test func `an expired feed is not searched`() async throws {
        try await save(1)
        client.date.advance(by: 8 * 24 * 60 * 60)
        #expect(try await dispatcher.dispatch(SearchFeed()).source == .nowhere)
    }

    @Test func `results of the saved feed are not kept when the server is back`() async throws {
        try await save(1)
        #expect(try await found(SearchFeed()) == [.fixture(1)])
        client.server.serve(.fixture(2))
        client.server.setDown(false)
        #expect(try await found(SearchFeed()) == [.fixture(2)])
    }

    @Test func `fresh results from memory come before the saved feed`() async throws {
        try await save(1)
        client.server.serve(.fixture(2))
        client.server.setDown(false)
        _ = try await dispatcher.dispatch(SearchFeed())
        client.server.setDown(true)
        let page = try await dispatcher.dispatch(SearchFeed())
        #expect(page.images.map(\.id) == [.fixture(2)])
        #expect(page.failure == nil)
    }

    @Test func `the images beside one are those of the saved feed, which is only read`() async throws {
        try await save(1, 2, 3)
        let before = try await client.store.retrieve()
        let neighbors = try await dispatcher.dispatch(LoadNeighbors(of: .fixture(2)))
        #expect(neighbors == ImageNeighbors(previous: .fixture(1), next: .fixture(3)))
        #expect(try await dispatcher.dispatch(LoadNeighbors(of: .fixture(1))) == ImageNeighbors(next: .fixture(2)))
        #expect(try await dispatcher.dispatch(LoadNeighbors(of: .fixture(4))) == ImageNeighbors())
        #expect(try await client.store.retrieve() == before)
        client.date.advance(by: 8 * 24 * 60 * 60)
        #expect(try await dispatcher.dispatch(LoadNeighbors(of: .fixture(2))) == ImageNeighbors())
    }

    @Test func `the images beside one are one request, which saves nothing`() async throws {
        try await save(1, 2, 3)
        client.server.setDown(false)
        client.server.serve(.fixture(4), .fixture(2), .fixture(5))
        for _ in 1...2 {
            let neighbors = try await dispatcher.dispatch(LoadNeighbors(of: .fixture(2)))
            #expect(neighbors == ImageNeighbors(previous: .fixture(4), next: .fixture(5)))
        }
        #expect(client.server.requests == ["GET /v1/image/\(UUID.fixture(2))/neighbors"])
        #expect(try await client.store.retrieve()?.images.map(\.id) == [.fixture(1), .fixture(2), .fixture(3)])
    }

    @Test func `a canceled search delivers nothing`() async throws {
        try await save(1)
        client.server.setDown(false)
        let gate = client.server.hold("GET /v1/feed/search")
        let search = Task { try await dispatcher.dispatch(SearchFeed()) }
        await gate.arrivals(1)
        search.cancel()
        await #expect(throws: CancellationError.self) { try await search.value }
    }

    @Test func `the saved feed is only read`() async throws {
        try await save(1, 2)
        let before = try await client.store.retrieve()
        _ = try await dispatcher.dispatch(SearchFeed("a"))
        #expect(try await client.store.retrieve() == before)
    }
}

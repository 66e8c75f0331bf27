import Duet
import DuetCaching
import DuetTesting
import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CachedFeedTests {
    private let client: CachedClient

    private var dispatcher: any Dispatcher { client.dispatcher }
    private var cache: QueryCache { client.cache }

    init() async throws {
        client = try await CachedClient()
        client.server.serve(.fixture(1), .fixture(2))
    }

    // MARK: Sharing

    @Test func `concurrent loads of a page share a request, and the next load sends another`() async throws {
        let gate = client.server.hold("GET /v1/feed")
        let loads = (0..<10).map { _ in Task { try await dispatcher.dispatch(LoadFeed()) } }
        await cache.joiners(9, of: LoadFeed.self)
        gate.open()
        for load in loads { #expect(try await load.value.images.map(\.id) == [.fixture(1), .fixture(2)]) }
        #expect(client.server.count("GET /v1/feed") == 1)

        client.server.serve(.fixture(3))
        #expect(try await dispatcher.dispatch(LoadFeed()).images.map(\.id) == [.fixture(3)])
        #expect(try await client.store.retrieve()?.images.map(\.id) == [.fixture(3)])
    }

    @Test func `a page from the store is not kept when the server is back`() async throws {
        _ = try await dispatcher.dispatch(LoadFeed())
        let savedAt = client.date.now()
        client.server.setDown(true)
        let offline = try await dispatcher.dispatch(LoadFeed())
        #expect(offline.source == .cache(savedAt: savedAt))
        #expect(offline.failure?.kind == .connectivity)
        client.server.setDown(false)
        #expect(try await dispatcher.dispatch(LoadFeed()).source == .remote)
    }

    @Test func `a refresh keeps the cached later pages and their images offline, and renews them`() async throws {
        let images = (1...5).map { FeedImage(id: .fixture($0), url: .fixture($0)) }
        client.server.serve(images)
        let jpeg = Data([0xFF, 0xD8, 0xFF, 5])
        client.server.serve(jpeg, for: images[4].url)
        _ = try await dispatcher.dispatch(LoadFeed(limit: 2))
        _ = try await dispatcher.dispatch(LoadFeed(after: .fixture(2), limit: 2))
        _ = try await dispatcher.dispatch(LoadFeed(after: .fixture(4), limit: 2))
        _ = try await dispatcher.dispatch(LoadImageData(url: images[4].url))

        client.date.advance(by: 60)
        client.server.serve([FeedImage(id: .fixture(6), url: .fixture(6))] + images[1...])
        let fresh = try await dispatcher.dispatch(LoadFeed(limit: 2))
        #expect(fresh.images.map(\.id) == [.fixture(6), .fixture(2)])
        #expect(client.server.count("GET /v1/feed") == 4)

        client.server.setDown(true)
        let offline = try await dispatcher.dispatch(LoadFeed(limit: 2))
        #expect(offline.images.map(\.id) == [6, 2, 3, 4, 5].map { .fixture($0) })
        #expect(offline.source == .cache(savedAt: client.date.now()))
        cache.invalidate(LoadImageData.self)
        #expect(try await dispatcher.dispatch(LoadImageData(url: images[4].url)) == jpeg)
    }

    @Test(arguments: [(99, 99), (100, 100), (101, 100)])
    func `a refresh loads at most as many images as a server accepts`(cached: Int, loaded: Int) async throws {
        let images = (1...cached).map { FeedImage(id: .fixture($0), url: .fixture($0)) }
        client.server.serve(images)
        try await client.store.insert(images, timestamp: client.date.now())
        #expect(try await dispatcher.dispatch(LoadFeed()).images.count == 10)
        #expect(try await client.store.retrieve()?.images.count == loaded)
        #expect(client.server.requests == ["GET /v1/feed?limit=\(loaded)"])
    }

    @Test(
        arguments: [
            PublishImage(id: .fixture(9), data: .tinyImage), RemoveImage(id: .fixture(1)),
        ] as [any Command]
    )
    func `a load after a publication or a removal does not join an earlier one`(command: any Command) async throws {
        let gate = client.server.hold("GET /v1/feed")
        let early = Task { try await dispatcher.dispatch(LoadFeed()) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(command)
        client.server.serve(.fixture(3))
        #expect(try await dispatcher.dispatch(LoadFeed()).images.map(\.id) == [.fixture(3)])
        gate.open()
        #expect(try await early.value.images.map(\.id) == [.fixture(1), .fixture(2)])
        // The earlier page does not replace the later one.
        #expect(try await client.store.retrieve()?.images.map(\.id) == [.fixture(3)])
    }

    @Test func `an invalid query does not reach the cache`() async throws {
        await #expect(throws: InvalidMessage.self) { try await dispatcher.dispatch(LoadFeed(limit: 0)) }
        #expect(cache.statistics(of: LoadFeed.self).misses == 0)
        #expect(client.server.requests == [])
    }

    @Test func `the summary of the store is always the current one`() async throws {
        #expect(try await dispatcher.dispatch(LoadFeedCacheSummary()) == nil)
        _ = try await dispatcher.dispatch(LoadFeed())
        #expect(try await dispatcher.dispatch(LoadFeedCacheSummary())?.images.count == 2)
        #expect(await cache.explain(LoadFeedCacheSummary()).source == .notCached)
    }

    // MARK: Clearing the cache

    @Test(arguments: [nil, UUID.fixture(1)])
    func `a load that began before the cache was cleared saves nothing after it`(after: UUID?) async throws {
        _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
        let gate = client.server.hold("GET /v1/feed")
        let load = Task { try await dispatcher.dispatch(LoadFeed(after: after)) }
        await gate.arrivals(1)
        try await dispatcher.dispatch(ClearFeedCache())
        gate.open()
        #expect(try await load.value.images.last?.id == .fixture(2))
        #expect(try await dispatcher.dispatch(LoadFeedCacheSummary()) == nil)
    }

    @Test func `a load that ends between the deletion and the end of its command saves nothing`() async throws {
        let response = client.server.hold("GET /v1/feed")
        let load = Task { try await dispatcher.dispatch(LoadFeed()) }
        await response.arrivals(1)
        let deletion = client.store.holdAfter()
        let clear = Task { try await dispatcher.dispatch(ClearFeedCache()) }
        await deletion.arrivals(1)
        response.open()
        _ = try await load.value
        #expect(try await client.store.retrieve() == nil)
        deletion.open()
        try await clear.value
        #expect(try await client.store.retrieve() == nil)
    }

    @Test(arguments: [false, true])
    func `a load that began while the cache was being cleared saves nothing`(endsMeanwhile: Bool) async throws {
        let beginning = client.store.holdBefore()
        let end = client.store.holdAfter()
        let clear = Task { try await dispatcher.dispatch(ClearFeedCache()) }
        await beginning.arrivals(1)
        let response = client.server.hold("GET /v1/feed")
        let load = Task { try await dispatcher.dispatch(LoadFeed()) }
        await response.arrivals(1)
        beginning.open()
        await end.arrivals(1)
        if endsMeanwhile {
            response.open()
            _ = try await load.value
            #expect(try await client.store.retrieve() == nil)
        }
        end.open()
        try await clear.value
        response.open()
        #expect(try await load.value.images.count == 2)
        #expect(try await client.store.retrieve() == nil)
    }

    @Test func `a load after the cache was cleared saves, even if clearing failed`() async throws {
        _ = try await dispatcher.dispatch(LoadFeed())
        client.store.fail(with: Fault("locked"))
        await #expect(throws: Fault("locked")) { try await dispatcher.dispatch(ClearFeedCache()) }
        #expect(try await client.store.retrieve()?.images.count == 2)
        client.server.serve(.fixture(3))
        _ = try await dispatcher.dispatch(LoadFeed())
        #expect(try await client.store.retrieve()?.images.map(\.id) == [.fixture(3)])
        try await dispatcher.dispatch(ClearFeedCache())
        #expect(try await client.store.retrieve() == nil)
        _ = try await dispatcher.dispatch(LoadFeed())
        #expect(try await client.store.retrieve()?.images.map(\.id) == [.fixture(3)])
    }

    @Test func `a canceled load saves nothing`() async throws {
        let gate = client.server.hold("GET /v1/feed")
        let load = Task { try await dispatcher.dispatch(LoadFeed()) }
        await gate.arrivals(1)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        try await client.server.cancellation.pass()
        #expect(try await client.store.retrieve() == nil)
    }

    @Test func `a load in a canceled task sends and saves nothing`() async throws {
        let result = await canceled { [dispatcher] in try await dispatcher.dispatch(LoadFeed()) }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(client.server.requests == [])
        #expect(try await client.store.retrieve() == nil)
    }
}

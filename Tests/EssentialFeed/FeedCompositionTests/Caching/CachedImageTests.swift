import Duet
import DuetCaching
import DuetTesting
import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CachedImageTests {
    private let client: CachedClient
    private let first = LoadImageData(url: .fixture(1))
    private let second = LoadImageData(url: .fixture(2))
    private let image = Data([0xFF, 0xD8, 0xFF, 1])
    private let other = Data([0xFF, 0xD8, 0xFF, 2])

    private var dispatcher: any Dispatcher { client.dispatcher }
    private var cache: QueryCache { client.cache }

    init() async throws {
        client = try await CachedClient()
        client.server.serve(image, for: .fixture(1))
        client.server.serve(other, for: .fixture(2))
    }

    private func path(_ query: LoadImageData) -> String { "GET \(query.url.path)" }

    // MARK: Sharing

    @Test func `concurrent requests for one URL share one load`() async throws {
        let gate = client.server.hold(path(first))
        let loads = (0..<100).map { _ in Task { try await dispatcher.dispatch(first) } }
        await cache.joiners(99, of: LoadImageData.self)
        gate.open()
        for load in loads { #expect(try await load.value == image) }
        #expect(client.server.requests.count == 1)
    }

    @Test func `different URLs are loaded separately`() async throws {
        let gate = client.server.hold(path(first))
        let load = Task { try await dispatcher.dispatch(first) }
        await gate.arrivals(1)
        #expect(try await dispatcher.dispatch(second) == other)
        gate.open()
        #expect(try await load.value == image)
    }

    @Test func `canceling one request does not cancel the other`() async throws {
        let gate = client.server.hold(path(first))
        let cancelled = Task { try await dispatcher.dispatch(first) }
        await gate.arrivals(1)
        let load = Task { try await dispatcher.dispatch(first) }
        await cache.joiners(1, of: LoadImageData.self)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        gate.open()
        #expect(try await load.value == image)
        #expect(client.server.requests.count == 1)
    }

    @Test func `when the last request is canceled the load is canceled, and the next one begins another`() async throws
    {
        let gate = client.server.hold(path(first))
        let load = Task { try await dispatcher.dispatch(first) }
        await gate.arrivals(1)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        try await client.server.cancellation.pass()
        #expect(try await dispatcher.dispatch(first) == image)
    }

    @Test func `a canceled request begins no load`() async throws {
        let result = await canceled { [dispatcher, first] in try await dispatcher.dispatch(first) }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(client.server.requests == [])
    }

    @Test func `a failure reaches every request and is not cached`() async throws {
        client.server.setDown(true)
        let gate = client.server.hold(path(first))
        let loads = (0..<3).map { _ in Task { try await dispatcher.dispatch(first) } }
        await cache.joiners(2, of: LoadImageData.self)
        gate.open()
        for load in loads { await #expect(throws: RemoteFailure.self) { try await load.value } }
        #expect(client.server.requests.count == 1)
        client.server.setDown(false)
        #expect(try await dispatcher.dispatch(first) == image)
    }

    // MARK: Memory

    @Test func `bytes come from memory for an hour, exclusively`() async throws {
        for (interval, requests) in [(0, 1), (3_599.5, 1), (0.5, 2), (0.5, 2), (3_600, 3)] {
            client.date.advance(by: interval)
            #expect(try await dispatcher.dispatch(first) == image)
            #expect(client.server.requests.count == requests)
        }
    }

    @Test func `bytes that are not an image are not cached`() async throws {
        client.server.serve(Data("<html>".utf8), for: .fixture(1))
        await #expect(throws: RemoteFailure.self) { try await dispatcher.dispatch(first) }
        client.server.serve(image, for: .fixture(1))
        #expect(try await dispatcher.dispatch(first) == image)
    }

    @Test(arguments: [-1, 0, 1])
    func `32 MiB of bytes fit into memory`(excess: Int) async throws {
        let large = image + Data(count: 32 * 1_024 * 1_024 + excess - image.count)
        client.server.serve(large, for: .fixture(1))
        #expect(try await dispatcher.dispatch(first) == large)
        #expect(cache.count == (excess > 0 ? 0 : 1))
        #expect(try await dispatcher.dispatch(first) == large)
        #expect(client.server.requests.count == (excess > 0 ? 2 : 1))
    }

    @Test(
        arguments: [
            ClearFeedCache(), RemoveInvalidFeedCache(), RemoveImage(id: .fixture(1)), ForgetImages(ids: [.fixture(1)]),
        ] as [any Command]
    )
    func `after a command that may delete bytes they are loaded again`(command: any Command) async throws {
        _ = try await dispatcher.dispatch(first)
        try await dispatcher.dispatch(command)
        _ = try await dispatcher.dispatch(first)
        #expect(client.server.count(path(first)) == 2)
    }

    // MARK: The store behind the memory

    @Test func `a forgotten image leaves the cached feed with its bytes, and the others stay with their age`()
        async throws
    {
        client.server.serve(.fixture(1), .fixture(2))
        _ = try await dispatcher.dispatch(LoadFeed())
        for query in [first, second] { _ = try await dispatcher.dispatch(query) }
        let savedAt = try await client.store.retrieveTimestamp()
        client.date.advance(by: 60)
        try await dispatcher.dispatch(ForgetImages(ids: [.fixture(1), .fixture(9)]))
        #expect(try await client.store.retrieveTimestamp() == savedAt)
        #expect(try await client.store.retrieve(dataForURL: .fixture(1)) == nil)
        #expect(try await client.store.retrieve(dataForURL: .fixture(2)) == other)
        #expect(try await dispatcher.dispatch(LoadFeedCacheSummary())?.images.map(\.id) == [.fixture(2)])
    }

    @Test func `bytes loaded before their image entered the feed are saved afterwards`() async throws {
        client.server.serve(.fixture(1))
        _ = try await dispatcher.dispatch(first)
        #expect(try await client.store.retrieve(dataForURL: .fixture(1)) == nil)
        _ = try await dispatcher.dispatch(LoadFeed())
        _ = try await dispatcher.dispatch(first)
        #expect(try await client.store.retrieve(dataForURL: .fixture(1)) == image)
    }

    @Test func `the store keeps small versions, also of images that enter the feed later, and no wide ones`()
        async throws
    {
        let versions = [ImageVersion(width: 480, url: .fixture(1)), ImageVersion(width: 1_920, url: .fixture(2))]
        client.server.serve(FeedImage(id: .fixture(3), versions: versions, url: .fixture(3)))
        for _ in 1...2 {
            for query in [first, second] { _ = try await dispatcher.dispatch(query) }
            _ = try await dispatcher.dispatch(LoadFeed())
        }
        #expect(try await client.store.retrieve(dataForURL: .fixture(1)) == image)
        #expect(try await client.store.retrieve(dataForURL: .fixture(2)) == nil)
        client.server.setDown(true)
        cache.invalidate(LoadImageData.self)
        #expect(try await dispatcher.dispatch(first) == image)
    }

    @Test func `bytes of a later page are saved again after a refresh dropped them from the store`() async throws {
        client.server.serve(.fixture(1), .fixture(2))
        for _ in 1...2 {
            _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
            _ = try await dispatcher.dispatch(first)
            _ = try await dispatcher.dispatch(LoadFeed(after: .fixture(1), limit: 1))
            _ = try await dispatcher.dispatch(second)
            #expect(try await client.store.retrieve(dataForURL: .fixture(1)) == image)
            #expect(try await client.store.retrieve(dataForURL: .fixture(2)) == other)
        }
    }

    @Test func `loading a page leaves the bytes of other pages in memory`() async throws {
        client.server.serve(.fixture(1), .fixture(2))
        _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
        _ = try await dispatcher.dispatch(first)
        _ = try await dispatcher.dispatch(LoadFeed(after: .fixture(1), limit: 1))
        #expect(cache.peek(first) == image)
        client.server.setDown(true)
        _ = try await dispatcher.dispatch(LoadFeed(limit: 1))
        #expect(cache.peek(first) == image, "a page from the store changes nothing")
    }
}

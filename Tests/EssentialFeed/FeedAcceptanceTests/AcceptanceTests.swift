import Duet
import DuetTesting
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import InMemoryLogging
import Logging
import Synchronization
import TestSupport
import Testing

/// The whole application: the real backend over a socket, the real photographs, each of the real stores.
@Suite struct AcceptanceTests {
    private let directory: TemporaryDirectory
    private let clock = TestDate()
    private let port: ReservedPort

    init() throws {
        directory = try TemporaryDirectory()
        port = try ReservedPort()
    }

    @Test(arguments: ClientOptions.StoreKind.allCases)
    func `an online launch shows the remote feed with images, and pages to its end`(
        store: ClientOptions.StoreKind
    ) async throws {
        try await withBackend { backend in
            try await launch(store, remote: backend) { dispatcher in
                let feed = try await pages(of: 5, from: dispatcher)
                #expect(feed.map(\.images.count) == [5, 5, 2, 0])
                #expect(feed.allSatisfy { $0.source == .remote && $0.failure == nil })
                let images = feed.flatMap(\.images)
                let items = try Manifest.load().items
                #expect(images.map(\.id) == items.map(\.id))
                for (image, item) in zip(images, items) {
                    #expect(image.description == item.description)
                    #expect(image.location == item.location)
                    let bytes = try await dispatcher.dispatch(LoadImageData(url: image.url))
                    #expect(try bytes == Data(contentsOf: FeedSeeder.samples.appending(path: item.image)))
                }
            }
        }
    }

    @Test(arguments: [ClientOptions.StoreKind.sqlite])
    func `an offline launch after an online one shows all cached pages with images`(
        store: ClientOptions.StoreKind
    ) async throws {
        let backend = try await RunningBackend(in: directory, on: port, now: clock.now)
        let (online, bytes) = try await launch(store, remote: port.url) { dispatcher in
            let images = try await pages(of: 5, from: dispatcher).flatMap(\.images)
            var bytes: [URL: Data] = [:]
            for image in images { bytes[image.url] = try await dispatcher.dispatch(LoadImageData(url: image.url)) }
            return (images, bytes)
        }
        try await backend.stop()
        let savedAt = clock.now()
        clock.advance(by: 6 * day)

        try await launch(store, remote: port.url) { dispatcher in
            let page = try await dispatcher.dispatch(LoadFeed(limit: 5))
            #expect(page.images == online)
            #expect(page.source == .cache(savedAt: savedAt))
            #expect(page.failure?.kind == .connectivity)
            for image in page.images {
                #expect(try await dispatcher.dispatch(LoadImageData(url: image.url)) == bytes[image.url])
            }
            await #expect(throws: RemoteFailure.self) {
                try await dispatcher.dispatch(LoadFeed(after: online.last?.id, limit: 5))
            }
        }
        #expect(online.count == 12)
    }

    @Test(arguments: ClientOptions.StoreKind.allCases)
    func `an offline launch with no cache shows an empty list and the connection message`(
        store: ClientOptions.StoreKind
    ) async throws {
        try await launch(store, remote: port.url) { dispatcher in
            let page = try await dispatcher.dispatch(LoadFeed())
            #expect(page.images == [])
            #expect(page.source == .nowhere)
            #expect(page.failure?.kind == .connectivity)
        }
    }

    @Test(arguments: [ClientOptions.StoreKind.sqlite])
    func `going to the background keeps a fresh cache and deletes an expired one`(
        store: ClientOptions.StoreKind
    ) async throws {
        try await withBackend { backend in
            try await launch(store, remote: backend) { _ = try await $0.dispatch(LoadFeed()) }
            clock.advance(by: 7 * day - 1)
            try await launch(store, remote: backend) { dispatcher in
                try await dispatcher.dispatch(RemoveInvalidFeedCache())
                let kept = try await dispatcher.dispatch(LoadFeedCacheSummary())
                #expect(kept?.images.count == 10)
                #expect(kept?.isFresh == true)
            }
            clock.advance(by: 1)
            try await launch(store, remote: backend) { dispatcher in
                #expect(try await dispatcher.dispatch(LoadFeedCacheSummary())?.isFresh == false)
                try await dispatcher.dispatch(RemoveInvalidFeedCache())
                #expect(try await dispatcher.dispatch(LoadFeedCacheSummary()) == nil)
            }
        }
    }

    @Test(arguments: ClientOptions.StoreKind.allCases)
    func `selecting an image shows its comments, and a comment that was posted`(
        store: ClientOptions.StoreKind
    ) async throws {
        try await withBackend { backend in
            try await launch(store, remote: backend) { dispatcher in
                let item = try #require(try Manifest.load().items.first)
                let image = try #require(try await dispatcher.dispatch(LoadFeed()).images.first)
                let comments = try await dispatcher.dispatch(LoadImageComments(imageID: image.id)).comments
                #expect(comments.map(\.message) == item.comments.map(\.message))
                #expect(comments.map(\.username) == item.comments.map(\.username))

                let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000C1"))
                let post = PostImageComment(id: id, imageID: image.id, message: "Λαμπρό! 🐈", username: "visitor")
                try await dispatcher.dispatch(post)
                try await dispatcher.dispatch(post)
                let posted = try await dispatcher.dispatch(LoadImageComments(imageID: image.id)).comments
                #expect(posted.count == comments.count + 1)
                #expect(posted.first { $0.id == id }?.message == "Λαμπρό! 🐈")
            }
        }
    }

    @Test func `comments and images that others post reach an observer`() async throws {
        try await withBackend { backend in
            try await launch(.sqlite, remote: backend) { dispatcher in
                let image = try #require(try await dispatcher.dispatch(LoadFeed()).images.first)
                var counts = QueryUpdates(
                    dispatcher.observe(LoadImageComments(imageID: image.id)).map(\.comments.count)
                )
                var ids = QueryUpdates(dispatcher.observe(LoadNewestImage()))
                guard case .value(let count) = await counts.next() else { return #expect(Bool(false), "no comments") }
                guard case .value(image.id) = await ids.next() else { return #expect(Bool(false), "no newest image") }

                // With another client's cache, as another program or machine has.
                try await launch(.memory, remote: backend) { other in
                    let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000C2"))
                    try await other.dispatch(
                        PostImageComment(id: id, imageID: image.id, message: "Live", username: "visitor")
                    )
                }
                guard case .value(count + 1) = await counts.next() else {
                    return #expect(Bool(false), "the comment did not arrive")
                }
            }
        }
    }

    @Test func `a reader's own comment arrives with the event, and is not loaded as well`() async throws {
        try await withBackend { backend in
            let log = InMemoryLogHandler()
            var logger = Logger(label: "test") { _ in log }
            logger.logLevel = .debug
            try await launch(.sqlite, remote: backend, logger: logger) { dispatcher in
                let image = try #require(try await dispatcher.dispatch(LoadFeed()).images.first)
                let query = LoadImageComments(imageID: image.id)
                var states = dispatcher.observe(query).makeAsyncIterator()
                var count: Int?
                while count == nil, let state = await states.next() {
                    count = state.isLoading ? nil : state.value?.comments.count
                }
                for number in 1...5 {
                    try await dispatcher.dispatch(
                        PostImageComment(id: UUID(), imageID: image.id, message: "Mine", username: "visitor")
                    )
                    let expected = count.map { $0 + number }
                    while let state = await states.next(), state.value?.comments.count != expected || state.isLoading {}
                }
                let requests = log.entries.map { "\($0.message)" }
                #expect(requests.count { $0.contains("POST") && $0.contains("/comments") } == 5)
                // The stream has not ended, so it is not logged yet.
                #expect(requests.count { $0.contains("GET") && $0.contains("/comments") } == 0)
            }
        }
    }

    @Test(arguments: ClientOptions.StoreKind.allCases)
    func `a page that was loaded before the cache was cleared is not saved after it`(
        store: ClientOptions.StoreKind
    ) async throws {
        try await withBackend { backend in
            try await launch(store, remote: backend) { dispatcher in
                let first = try await dispatcher.dispatch(LoadFeed(limit: 5))
                try await dispatcher.dispatch(ClearFeedCache())
                let next = try await dispatcher.dispatch(LoadFeed(after: first.images.last?.id, limit: 5))
                #expect(next.images.count == 5)
                #expect(try await dispatcher.dispatch(LoadFeedCacheSummary()) == nil)
            }
        }
    }

    @Test func `an invalid message is refused before anything is sent`() async throws {
        try await withBackend { backend in
            try await launch(.sqlite, remote: backend) { dispatcher in
                for limit in [0, 101, -1] {
                    await #expect(throws: InvalidMessage.self) { try await dispatcher.dispatch(LoadFeed(limit: limit)) }
                }
                for limit in [1, 100] {
                    let page = try await dispatcher.dispatch(LoadFeed(limit: limit))
                    #expect(page.images.count == min(limit, 12))
                }
            }
        }
    }
}

extension AcceptanceTests {
    private var day: TimeInterval { 24 * 60 * 60 }

    private func withBackend(_ body: (URL) async throws -> Void) async throws {
        let backend = try await RunningBackend(in: directory, on: port, now: clock.now)
        do {
            try await body(port.url)
        } catch {
            try await backend.stop()
            throw error
        }
        try await backend.stop()
    }

    /// One launch of the application: everything is opened, used and closed.
    private func launch<Value: Sendable>(
        _ store: ClientOptions.StoreKind,
        remote: URL,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        body: @Sendable (any Dispatcher) async throws -> Value
    ) async throws -> Value {
        let warnings = Mutex<[String]>([])
        let value = try await FeedClient.withDispatcher(
            ClientOptions(remote: remote, cache: directory.url.appending(path: "cache-\(store)"), store: store),
            environment: Environment(now: clock.now, logger: logger),
            onWarning: { warning in warnings.withLock { $0.append(warning) } },
            body: body
        )
        #expect(warnings.withLock { $0 } == [])
        return value
    }

    /// All pages up to the empty one that ends the feed.
    private func pages(of limit: Int, from dispatcher: any QueryDispatcher) async throws -> [FeedPage] {
        var pages = [try await dispatcher.dispatch(LoadFeed(limit: limit))]
        while let last = pages.last?.images.last {
            pages.append(try await dispatcher.dispatch(LoadFeed(after: last.id, limit: limit)))
        }
        return pages
    }
}

import Duet
import DuetDependencies
import DuetHTTP
import DuetSQLite
import FeedAPI
import FeedCache
import FeedCacheSQLite
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Logging
import Synchronization
import Testing

/// The program's containers.
@Suite struct ContainerTests {
    private let directory: TemporaryDirectory
    private let environment = Environment(logger: .silent)
    private let remote: URL

    init() throws {
        directory = try TemporaryDirectory()
        remote = try #require(URL(string: "http://127.0.0.1:1/"))
    }

    @Test func `each container's graph is valid, without anything being opened`() throws {
        let options = ClientOptions(remote: remote, cache: directory.url.appending(path: "feed.sqlite"))
        let client = try Container.client(options, environment: environment, onWarning: { _ in }).graph
        let page = try Container.page(options, environment: environment, onWarning: { _ in }).graph
        let backend = try Container.backend(
            BackendOptions(database: directory.url.appending(path: "backend.sqlite")),
            environment: environment
        ).graph
        #expect(page.routes == client.routes)
        let listed = Set(MessageAPI.feed.entries(of: .http).map { $0.message.messageName })
        #expect(listed.isSubset(of: client.routes.map(\.message)))
        #expect(client.routes.count == 20)
        #expect(listed.isSubset(of: backend.routes.map(\.message)))
        #expect(backend.routes.count == 19)
        for graph in [client, page, backend] { #expect(!graph.nodes.contains { $0.isOpaque }) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test func `the HTTP client is shut down with the container`() async throws {
        let options = ClientOptions(remote: remote, cache: nil)
        let container = try Container.client(options, environment: environment, onWarning: { _ in })
        let client: any HTTPClient = try await container.resolve()
        await container.dispose()
        let request = HTTPRequest(method: .get, url: remote)
        let error = try #require(
            await #expect(throws: HTTPClientError.self) { _ = try await client.data(for: request) }
        )
        #expect("\(error)".lowercased().contains("shut"), "\(error)")
    }

    @Test func `the store is opened once, whichever of its protocols is resolved`() async throws {
        let cache = directory.url.appending(path: "feed.sqlite")
        _ = try await SQLiteFeedStore(url: cache)
        // All bytes are in the file then, and closing the store changes none of them.
        var configuration = Configuration()
        // The store may still be closing.
        configuration.busyMode = .timeout(10)
        let other = try DatabaseQueue(path: cache.path, configuration: configuration)
        try await other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try other.close()
        var bytes = try Data(contentsOf: cache)
        // The size of a page.
        bytes.replaceSubrange(16..<18, with: [0, 7])
        try bytes.write(to: cache)
        let warnings = Mutex<[String]>([])
        try await FeedClient.withDispatcher(
            ClientOptions(remote: remote, cache: cache),
            environment: environment,
            onWarning: { warning in warnings.withLock { $0.append(warning) } }
        ) { dispatcher in
            _ = try await dispatcher.dispatch(LoadFeedCacheSummary())
            _ = try? await dispatcher.dispatch(LoadImageData(url: .fixture(1)))
            try await dispatcher.dispatch(ClearFeedCache())
        }
        #expect(warnings.withLock { $0.count } == 1)
    }

    @Test func `a required cache that cannot be opened is an error before any dispatch`() async throws {
        await #expect(throws: SQLiteStoreError.self) {
            try await FeedClient.withDispatcher(
                ClientOptions(remote: remote, cache: URL(filePath: "/dev/null/feed"), isCacheRequired: true),
                environment: environment,
                onWarning: { _ in }
            ) { _ in Issue.record("the cache cannot be there") }
        }
    }

    @Test func `without a usable cache or outbox the client warns once for each, and continues`() async throws {
        let file = directory.url.appending(path: "diary.txt")
        try Data("diary".utf8).write(to: file)
        for path in [URL(filePath: "/dev/null/feed"), file] {
            let warnings = Mutex<[String]>([])
            let summary = try await FeedClient.withOutbox(
                ClientOptions(remote: remote, cache: path, outbox: path),
                environment: environment,
                onWarning: { warning in warnings.withLock { $0.append(warning) } }
            ) { dispatcher, outbox in
                #expect(await outbox.comments.isEmpty)
                return try await dispatcher.dispatch(LoadFeedCacheSummary())
            }
            #expect(summary == nil)
            #expect(warnings.withLock(\.count) == 2)
            #expect(warnings.withLock { $0.allSatisfy { $0.contains(path.path) } })
        }
        #expect(try Data(contentsOf: file) == Data("diary".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["diary.txt"])
    }

    @Test func `a client that only reads creates no files`() async throws {
        let (cache, outbox) = (directory.appending("a/feed.sqlite"), directory.appending("a/outbox.sqlite"))
        try await FeedClient.withOutbox(
            ClientOptions(remote: remote, cache: cache, outbox: outbox, onlyReads: true),
            environment: environment,
            onWarning: { Issue.record("\($0)") }
        ) { dispatcher, outbox in
            _ = try await dispatcher.dispatch(LoadFeedCacheSummary())
            #expect(await outbox.comments.isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }
}

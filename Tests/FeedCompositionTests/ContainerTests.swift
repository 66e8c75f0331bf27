import Duet
import DuetDependencies
import DuetHTTP
import FeedCache
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
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
        #expect(client.routes.count == 14)
        #expect(page.routes == client.routes)
        #expect(backend.routes.count == 15)
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
        try Data("this is no database, and never was one".utf8).write(to: cache)
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

    @Test(arguments: ClientOptions.StoreKind.allCases)
    func `an unusable cache is reported with its own error before any dispatch`(
        store: ClientOptions.StoreKind
    ) async throws {
        let cache = URL(filePath: "/dev/null/feed")
        await #expect(throws: FeedStoreError.self) {
            try await FeedClient.withDispatcher(
                ClientOptions(remote: remote, cache: cache, store: store),
                environment: environment,
                onWarning: { _ in }
            ) { _ in Issue.record("the cache cannot be there") }
        }
    }
}

import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedAPI
import FeedBackend
import FeedCache
import FeedComposition
import FeedFeature
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

/// Each module alone, and its errors about missing registrations.
@Suite struct ModuleTests {
    private let environment = Environment(now: { .fixture }, logger: .silent)
    private let remote: URL

    init() throws {
        remote = try #require(URL(string: "http://feed.invalid/"))
    }

    @Test func `the client needs only an environment`() async throws {
        let client = HTTPClientStub(feed: [.fixture(1), .fixture(2)])
        try await withContainer(
            of: environment,
            try clientModule(),
            overriding: Override((any HTTPClient).self) { client }
        ) { container in
            let dispatcher = try await container.dispatcher
            let page = try await dispatcher.dispatch(LoadFeed())
            #expect(page.images.map(\.id) == [.fixture(1), .fixture(2)])
            let cached = try await dispatcher.dispatch(LoadFeedCacheSummary())
            #expect(cached?.images == page.images)
            #expect(cached?.savedAt == .fixture)
        }
    }

    @Test func `the client without an environment names each missing dependency`() throws {
        let error = try #require(throws: InvalidContainer.self) { try build(clientModule()) }
        for name in ["CurrentDate", "Calendar", "Logger", "any Clock<Duration>"] {
            #expect("\(error)".contains(" → \(name): not registered."), "\(error)")
        }
        #expect(!"\(error)".contains("BaseURL: not registered"))
    }

    @Test(arguments: ["ftp://feed.invalid/", "http://feed.invalid/?a=b"])
    func `an invalid server address is refused before anything is created`(remote: String) throws {
        let options = ClientOptions(remote: try #require(URL(string: remote)), cache: nil)
        #expect(throws: InvalidBaseURL.self) { try ClientModule(options, onWarning: { _ in }) }
    }

    @Test func `the backend needs only an environment`() async throws {
        try await withContainer(
            of: environment,
            BackendModule(database: "/dev/null/never-opened"),
            overriding: Override(FeedDatabase.self) { try FeedDatabase.inMemory() }
        ) { container in
            let dispatcher = try await container.dispatcher
            try await dispatcher.dispatch(PublishImage(id: .fixture(1), data: .tinyImage))
            #expect(try await dispatcher.dispatch(LoadFeed()).images.map(\.id) == [.fixture(1)])
        }
    }

    @Test func `the backend without an environment names the missing clock`() throws {
        let error = try #require(throws: InvalidContainer.self) { try build(BackendModule(database: "")) }
        #expect("\(error)".contains("PostImageCommentHandler → CurrentDate: not registered."), "\(error)")
        #expect(error.problems.count == 7, "four handlers, the unit of work, the seeder and the cache")
    }

    @Test func `the pages need an environment and handlers of their queries`() async throws {
        let spy = SpyDispatcher()
        spy.stub(LoadFeed.self, returning: FeedPage(images: [.fixture(3)], source: .remote))
        try await withContainer(
            of: environment,
            WebModule(),
            Answering(spy: spy)
        ) { container in
            let web = FeedWeb(container: container).application(host: "127.0.0.1", port: 0, logger: .silent)
            let page = try await web.test(.router) { try await $0.execute(uri: "/", method: .get) }
            #expect(page.status == .ok)
            #expect(String(buffer: page.body).contains(#"data-id="\#(UUID.fixture(3))""#))
        }
        #expect(spy.messages(of: LoadFeed.self) == [LoadFeed(limit: 30)])
    }

    @Test func `an unknown image id costs the pages one request, and no write to the cache`() async throws {
        let server = MockHTTPClient()
        let ids = (100..<120).map(UUID.fixture)
        let type: HTTPFields = [.contentType: "application/problem+json"]
        for id in ids {
            let problem = #"{"type":"urn:essential-feed:image-not-found","status":404,"id":"\#(id)"}"#
            server.expect(.get, "/v1/image/\(id)/details", status: .notFound, headers: type, json: problem)
        }
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: [.fixture(1)], timestamp: .fixture)))
        try await withContainer(
            of: environment,
            try clientModule(),
            WebModule(),
            overriding: Override((any HTTPClient).self) { server },
            Override((any FeedStore).self) { store }
        ) { container in
            let web = FeedWeb(container: container).application(host: "127.0.0.1", port: 0, logger: .silent)
            try await web.test(.router) { client in
                for id in ids + ids {
                    let response = try await client.execute(uri: "/images/\(id)/data", method: .get)
                    #expect(response.status == .notFound)
                }
            }
        }
        #expect(store.messages == [.retrieve])
        #expect(server.requestLines == ids.map { "GET /v1/image/\($0)/details" })
    }

    @Test func `the pages alone name their missing dependencies`() throws {
        let error = try #require(throws: InvalidContainer.self) { try build(WebModule()) }
        for name in ["QueryDispatcher", "CurrentDate", "Calendar", "Logger"] {
            #expect("\(error)".contains("FeedPages → \(name): not registered."), "\(error)")
        }
    }

    private func clientModule() throws -> ClientModule {
        try ClientModule(ClientOptions(remote: remote, cache: nil), onWarning: { _ in })
    }

    private func build(_ module: some ContainerModule) throws -> Container {
        let builder = ContainerBuilder()
        builder.install(module)
        return try builder.build()
    }
}

/// Handles the queries of the pages.
private struct Answering: ContainerModule {
    let spy: SpyDispatcher

    func register(in builder: ContainerBuilder) {
        builder.singleton((any CommentOutbox).self) { OutboxSpy() }
        builder.replacing.singleton((any Dispatcher).self) { [spy] in spy }
    }
}

import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedCache
import FeedComposition
import FeedFeature
import FeedServing
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import Synchronization
import Testing

/// One scope for each request.
@Suite struct RequestScopeTests {
    private let visits = Visits()

    @Test(arguments: [TestingSetup.router, .live])
    func `each request has exactly one scope`(world: TestingSetup) async throws {
        try await test(world) { client in
            let answers = [
                try await client.execute(uri: "/twice", method: .get),
                try await client.execute(uri: "/twice", method: .get),
            ]
            #expect(answers.map { String(buffer: $0.body) } == ["1 1", "2 2"])
        }
    }

    @Test(arguments: ["/twice", "/fault", "/nothing-there"])
    func `a scope ends with its request, whatever the response`(path: String) async throws {
        try await test(.router) { client in
            for number in 1...2 {
                let answer = try await client.execute(uri: path, method: .get)
                #expect((answer.status == .ok) == (path == "/twice"))
                #expect(visits.begun == (path == "/nothing-there" ? 0 : number))
                #expect(visits.ended == visits.begun)
            }
        }
    }

    @Test func `concurrent requests have separate scopes`() async throws {
        try await test(.live) { client in
            let port = try #require(client.port)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        try await TestClient.withClient(host: "localhost", port: port) { client in
                            let answer = try await client.execute(
                                TestClient.Request("/twice", method: .get, authority: "localhost")
                            )
                            return answer.body.map { String(buffer: $0) } ?? ""
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(answers == Set((1...8).map { "\($0) \($0)" }))
        }
        #expect(visits.ended == 8)
    }

    @Test func `a handler's log has the id of its request`() async throws {
        let log = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in log }
        let store = UnwritableStore()
        let client = HTTPClientStub(feed: [.fixture(1)])
        try await withContainer(
            of: Environment(logger: logger),
            try ClientModule(
                ClientOptions(remote: #require(URL(string: "http://feed.invalid/")), cache: nil),
                onWarning: { _ in }
            ),
            WebModule(),
            overriding: Override((any FeedStore & FeedImageDataStore).self) { store },
            Override((any HTTPClient).self) { client }
        ) { container in
            try await FeedWeb(container: container)
                .application(host: "127.0.0.1", port: 0, logger: logger)
                .test(.router) { client in
                    for _ in 1...2 {
                        let page = try await client.execute(uri: "/", method: .get)
                        #expect(page.status == .ok)
                    }
                }
        }
        let reports = log.entries.filter { $0.level == .warning }
        #expect(reports.map { "\($0.message)" } == Array(repeating: "The feed could not be saved: locked", count: 2))
        let ids = reports.compactMap { $0.metadata["hb.request.id"] }
        #expect(ids.count == 2)
        #expect(Set(ids.map { "\($0)" }).count == 2)
    }

    @Test(arguments: [
        "/?after=ID", "/feed?after=ID", "/?q=cat&after=ID", "/feed?q=cat&after=ID", "/images/ID", "/images/ID?after=ID",
        "/images/ID?before=ID", "/images/ID/data", "/images/ID/edit",
    ])
    func `an id that the backend does not know is not found, and no error of the log`(path: String) async throws {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .notice
        try await withContainer(
            of: Environment(logger: logger),
            try ClientModule(
                ClientOptions(remote: #require(URL(string: "http://feed.invalid/")), cache: nil),
                onWarning: { _ in }
            ),
            WebModule(),
            overriding: Override((any HTTPClient).self) { UnknownIDs() }
        ) { [logger] container in
            try await FeedWeb(container: container)
                .application(host: "127.0.0.1", port: 0, logger: logger)
                .test(.router) { client in
                    let path = path.replacing("ID", with: "\(UUID.fixture(1))")
                    let page = try await client.execute(
                        uri: path,
                        method: .get,
                        headers: [.cookie: "session=feed_ann; permissions=publish"]
                    )
                    #expect(page.status == .notFound)
                }
        }
        #expect(log.entries.allSatisfy { $0.level < .error }, "\(log.entries.map(\.message))")
    }

    /// Runs `body` with a client of a server that resolves a visit twice for each request.
    private func test(
        _ world: TestingSetup,
        _ body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let builder = ContainerBuilder()
        builder.scoped { [visits] in visits.begin() }
        builder.singleton { Logger.silent }
        let router = Router(context: ScopedRequestContext.self)
        router.get("/twice") { _, context in
            let first: Visit = try await context.scope.resolve()
            let second: Visit = try await context.scope.resolve()
            return "\(first.number) \(second.number)"
        }
        router.get("/fault") { _, context -> String in
            _ = try await context.scope.resolve(Visit.self)
            throw Fault()
        }
        let application = router.application(
            in: try builder.build(),
            host: "localhost",
            port: 0,
            onServerRunning: { _ in },
            logger: .silent
        )
        try await application.test(world, body)
    }
}

/// Counts the visits that have begun and ended.
private final class Visits: Sendable {
    private let counts = Mutex((begun: 0, ended: 0))

    var begun: Int { counts.withLock { $0.begun } }
    var ended: Int { counts.withLock { $0.ended } }

    func begin() -> Visit {
        Visit(
            number: counts.withLock { counts in
                counts.begun += 1
                return counts.begun
            },
            visits: self
        )
    }

    func end() {
        counts.withLock { $0.ended += 1 }
    }
}

/// A value with the lifetime of a scope.
private struct Visit: Disposable {
    let number: Int
    let visits: Visits

    func dispose() async {
        visits.end()
    }
}

/// An empty store whose commands fail.
private struct UnwritableStore: FeedStore, FeedImageDataStore {
    func retrieve() async throws -> CachedFeed? { nil }
    func retrieveTimestamp() async throws -> Date? { nil }
    func retrieveCount() async throws -> Int? { nil }
    func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        throw Fault("locked")
    }
    func insert(_ data: Data, for url: URL) async throws { throw Fault("locked") }
    func retrieve(dataForURL url: URL) async throws -> Data? { nil }
}

/// A backend that has never had the image of any id.
private struct UnknownIDs: HTTPClient {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let problem = #"{"type":"urn:essential-feed:image-not-found","id":"\#(UUID.fixture(1))"}"#
        let response = HTTPResponse(status: .notFound, headerFields: [.contentType: "application/problem+json"])
        return (response, HTTPBody(Data(problem.utf8)))
    }
}

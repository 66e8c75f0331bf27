import CoreMetrics
import Duet
import DuetDependencies
import DuetTesting
import FeedBackend
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
import NIOCore
import Testing
import Tracing

/// Metrics, logs and traces of both servers.
@Suite(.timeLimit(.minutes(5))) struct ServerTelemetryTests {
    private let folder: TemporaryDirectory
    private let log = InMemoryLogHandler()
    private let metrics = PrometheusMetrics()
    private let tracer = RequestTracer(generator: SystemRandomNumberGenerator())

    init() throws {
        folder = try TemporaryDirectory()
    }

    private var logger: Logger {
        var logger = Logger(label: "test") { _ in
            var handler = log
            handler.metadataProvider = .requests
            return handler
        }
        logger.logLevel = .debug
        return logger
    }

    /// Runs `body` with clients of the page and the backend, which are two servers of this process.
    private func withServers(
        publicURL: URL? = nil,
        exposesMetrics: Bool = false,
        _ body: @Sendable (_ page: any TestClientProtocol, _ backend: any TestClientProtocol) async throws -> Void
    ) async throws {
        let environment = Environment(now: { .fixture }, newID: { .fixture(7) }, logger: logger)
        let database = BackendOptions(database: folder.url.appending(path: "backend.sqlite"))
        try await withTracer(tracer) {
            try await withMetricsFactory(metrics) {
                let container = try Container.backend(database, environment: environment)
                try await container.dispatcher.dispatch(PublishImage(id: .fixture(1), data: .tinyImage))
                let backend = try FeedBackend(container: container)
                    .application(port: 0, publicURL: publicURL, exposesMetrics: exposesMetrics, logger: logger)
                try await backend.test(.live) { backend in
                    let port = try #require(backend.port)
                    let remote = try #require(URL(string: "http://127.0.0.1:\(port)/"))
                    let client = ClientOptions(remote: remote, cache: nil)
                    let pages = try Container.page(client, environment: environment) { Issue.record("\($0)") }
                    try await FeedWeb(container: pages)
                        .application(
                            host: "127.0.0.1",
                            port: 0,
                            publicURL: publicURL,
                            exposesMetrics: exposesMetrics,
                            logger: logger
                        )
                        .test(.live) { try await body($0, backend) }
                    await pages.dispose()
                }
                await container.dispose()
            }
        }
    }

    /// The lines about requests.
    private var lines: [InMemoryLogHandler.Entry] {
        log.entries.filter { $0.metadata["hb.request.id"] != nil }
    }

    // MARK: Logs

    @Test func `each line has the ids of its request and of the trace, which leads from the page to the backend`()
        async throws
    {
        try await withServers { page, _ in
            let response = try await page.execute(uri: "/", method: .get)
            #expect(response.status == .ok)
            // The requests, the messages and the HTTP exchange.
            #expect(lines.count == 5)
            #expect(Set(lines.map { $0.ids["hb.request.id"] }).count == 2, "one for each server")
            #expect(Set(lines.map { $0.ids["trace_id"] }).count == 1)
            #expect(lines.allSatisfy { $0.ids["trace_id"] != nil && $0.ids["span_id"] != nil })
        }
    }

    @Test func `the trace of a command leads to the backend, and nothing of the command is logged`() async throws {
        try await withServers { page, _ in
            let response = try await page.execute(
                uri: "/images/\(UUID.fixture(1))/comments",
                method: .post,
                headers: [
                    .contentType: "application/x-www-form-urlencoded",
                    try #require(.init("Sec-Fetch-Site")): "same-origin",
                ],
                body: ByteBuffer(string: "id=\(UUID.fixture(9))&username=ann&message=A+secret")
            )
            #expect(response.status == .seeOther)
            let handled = lines.filter { "\($0.message)".hasPrefix("FeedFeature.PostImageComment took") }
            #expect(handled.count == 2, "on the page and on the backend")
            #expect(Set(handled.map { $0.ids["trace_id"] }).count == 1)
            #expect(!log.entries.contains { "\($0.message) \($0.metadata)".contains("secret") })
        }
    }

    @Test func `no query of a request is logged`() async throws {
        try await withServers { page, _ in
            let response = try await page.execute(uri: "/?q=my-secret&lang=en", method: .get)
            #expect(response.status == .ok)
            let lines = log.entries.map { "\($0.message) \($0.metadata)" }
            #expect(lines.contains { $0.contains("/v1/feed/search") })
            #expect(!lines.contains { $0.contains("my-secret") || $0.contains("lang=en") })
        }
    }

    // MARK: Metrics

    @Test func `both servers show the metrics of requests, messages and HTTP exchanges`() async throws {
        try await withServers { page, backend in
            #expect(try await page.execute(uri: "/", method: .get).status == .ok)
            for server in [page, backend] {
                let response = try await server.execute(uri: "/metrics", method: .get)
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
                #expect(response.headers[.cacheControl] == "no-store")
                let families = try PrometheusText(String(buffer: response.body)).families
                let requests = try #require(families["http_server_request_duration_seconds"])
                #expect(requests.labels.contains { $0["http_route"] == "/v1/feed" })
                #expect(
                    String(buffer: response.body).contains("# HELP http_server_request_duration_seconds Time until")
                )
                #expect(families["http_client_request_duration_seconds"]?.type == "histogram")
                let messages = try #require(families["duet_message_duration_seconds"])
                let count = messages.samples.first {
                    $0.key.hasPrefix("duet_message_duration_seconds_count") && $0.key.contains("LoadFeed")
                }
                #expect(count?.value == 2, "once in each server")
            }
        }
    }

    @Test(arguments: [
        ("Host", "evil.example", 421), ("X-Forwarded-For", "192.0.2.1", 404), ("Forwarded", "for=192.0.2.1", 404),
        ("Via", "1.1 proxy", 404), ("X-Forwarded-Proto", "https", 404), ("CF-Connecting-IP", "192.0.2.1", 404),
    ])
    func `requests for others are refused`(field: String, value: String, status: Int) async throws {
        try await withServers { page, backend in
            for server in [page, backend] {
                let port = try #require(server.port)
                let answer = try await TestClient.withClient(host: "localhost", port: port) { client in
                    try await client.execute(
                        TestClient.Request(
                            "/metrics",
                            method: .get,
                            authority: field == "Host" ? value : "localhost",
                            headers: field == "Host" ? [:] : [try #require(.init(field)): value]
                        )
                    )
                }
                #expect(answer.status.code == status)
            }
        }
    }

    @Test func `behind another server, metrics are shown only if they are exposed`() async throws {
        let publicURL = try #require(URL(string: "https://feed.example/"))
        for exposesMetrics in [false, true] {
            try await withServers(publicURL: publicURL, exposesMetrics: exposesMetrics) { page, backend in
                for server in [page, backend] {
                    for authority in ["feed.example", "localhost"] {
                        let answer = try await TestClient.withClient(
                            host: "localhost",
                            port: try #require(server.port)
                        ) { client in
                            try await client.execute(
                                TestClient.Request("/metrics", method: .get, authority: authority)
                            )
                        }
                        #expect(answer.status.code == (exposesMetrics ? 200 : 404))
                    }
                }
            }
        }
    }

    @Test func `a process that collects no metrics has none to show`() async throws {
        try await withContainer(
            of: Environment(logger: .silent),
            BackendModule(database: "/dev/null/never-opened")
        ) { container in
            try await FeedBackend(container: container).application(port: 0).test(.live) { client in
                let answer = try await client.execute(uri: "/metrics", method: .get)
                #expect(answer.status == .notFound)
            }
        }
    }
}

extension InMemoryLogHandler.Entry {
    fileprivate var ids: [String: String] { metadata.mapValues { "\($0)" } }
}

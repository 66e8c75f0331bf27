import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// The options of servers for metrics, traces and `/inspect`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServerTelemetryTests {
    private struct Span: Decodable {
        let name: String
        let trace_id: String
        let span_id: String
        let parent_span_id: String?
    }

    private let directory: TemporaryDirectory

    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Requests a path, with the token of a printed address if there is one.
    private func get(
        _ path: String,
        from server: String,
        token: String? = nil
    ) async throws -> (status: Int, text: String) {
        let port = try #require(URL(string: server)?.port)
        let headers: HTTPFields = token.map { [.cookie: "inspect=\($0)"] } ?? [:]
        let answer = try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
            try await client.execute(TestClient.Request(path, method: .get, authority: "127.0.0.1", headers: headers))
        }
        return (answer.status.code, answer.body.map { String(buffer: $0) } ?? "")
    }

    @Test func `the demo shows its metrics and what it is doing, and appends its spans to a file`() async throws {
        let file = home.appending(path: "trace.jsonl")
        let demo = try FeedProcess(
            ["demo", "--inspect", "--trace", file.path, "--web-port", "0", "--backend-port", "0"],
            home: home
        )
        let page = try await demo.printed("Page:")
        let backend = try await demo.printed("Backend:")
        #expect(try await get("/", from: page).status == 200)
        for server in [page, backend] {
            let metrics = try await get("/metrics", from: server)
            #expect(metrics.status == 200)
            #expect(metrics.text.contains("# TYPE duet_message_duration_seconds histogram\n"))
            #expect(metrics.text.contains(#"feed_build_info{version="0.1.0"} 1"#))
            for name in ["process_start_time_seconds", "process_resident_memory_bytes", "process_cpu_seconds_total"] {
                #expect(metrics.text.contains(try Regex("\n\(name) [0-9.e+]*[1-9]")))
            }
            #expect(try await get("/health", from: server).status == 204)
        }
        let address = try await demo.printed("Inspect:")
        let token = try #require(URLComponents(string: address)?.queryItems?.first?.value)
        #expect(try await get("/inspect", from: page).status == 403)
        let inspected = try await get("/inspect", from: page, token: token)
        #expect(inspected.status == 200)
        #expect(inspected.text.contains("LoadFeed"))
        demo.interrupt()
        #expect(try await demo.finish().status == 0)

        let spans = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Span.self, from: $0) }
        let root = try #require(spans.first { $0.name == "/" && $0.parent_span_id == nil })
        var names: [String] = []
        var current: Span? = root
        while let span = current {
            names.append(span.name)
            current = spans.first { $0.parent_span_id == span.span_id && $0.trace_id == root.trace_id }
        }
        #expect(
            names == [
                "/", "FeedFeature.LoadFeed", "GET /v1/feed", "/v1/feed", "FeedFeature.LoadFeed", "SQLite read",
            ]
        )
    }

    @Test func `the demo as a cluster shows the state of its commands`() async throws {
        let demo = try FeedProcess(
            ["demo", "--cluster", "--inspect", "--web-port", "0", "--backend-port", "0"],
            home: home
        )
        let page = try await demo.printed("Page:")
        let backend = try await demo.printed("Backend:")
        #expect(try await get("/", from: page).text.contains("/images/"))
        let address = try await demo.printed("Inspect:")
        let token = try #require(URLComponents(string: address)?.queryItems?.first?.value)
        #expect(try await get("/inspect", from: page, token: token).text.contains("Commands that wait for a worker: 0"))
        for server in [page, backend] {
            // The state is reported soon after the start.
            let metrics = [
                #"duet_cluster_commands{duet_cluster_state="dead"} 0"#,
                #"duet_cluster_commands{duet_cluster_state="redelivered"} 0"#,
                #"duet_cluster_commands{duet_cluster_state="running"} 0"#,
                #"duet_cluster_commands{duet_cluster_state="waiting"} 0"#, "duet_cluster_reachable 1",
            ]
            var text = ""
            while !metrics.allSatisfy({ text.contains($0) }) { text = try await get("/metrics", from: server).text }
        }
        demo.interrupt()
        #expect(try await demo.finish().status == 0)
    }

    @Test func `without the option there is no page about the program`() async throws {
        let web = try FeedProcess(["web", "--port", "0"], home: home)
        let page = try await web.printed("Page:")
        #expect(try await get("/inspect", from: page).status == 404)
        web.interrupt()
        #expect(try await web.finish().status == 0)
    }

    @Test func `a file of spans that cannot be written is an error at the start`() async throws {
        let result = try await FeedProcess.run("serve", "--port", "0", "--trace", "/dev/null/trace", home: home)
        #expect(result.status == 1)
        #expect(result.error.contains("The spans cannot be written to /dev/null/trace: Not a directory."))
    }

    @Test func `a page with a public address shows developers nothing`() async throws {
        let result = try await FeedProcess.run("web", "--inspect", "--public-url", "https://feed.example", home: home)
        #expect(result.status == 64)
        #expect(result.error.contains("--inspect and --public-url contradict each other."))
    }
}

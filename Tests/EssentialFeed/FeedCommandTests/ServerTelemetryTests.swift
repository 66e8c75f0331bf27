import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// The options of servers for metrics and `/inspect`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServerTelemetryTests {
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

    @Test func `the demo shows its metrics and what it is doing`() async throws {
        let demo = try FeedProcess(
            ["demo", "--inspect", "--web-port", "0", "--backend-port", "0"],
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
            #expect(metrics.text.contains(try Regex("\nprocess_start_time_seconds [0-9.e+]*[1-9]")))
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
    }

    @Test func `the demo as a cluster shows the state of its commands, and a trace leads to its worker`() async throws {
        let demo = try FeedProcess(
            ["demo", "--cluster", "--inspect", "--verbose", "--web-port", "0", "--backend-port", "0"],
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
        let result = try await demo.finish()
        #expect(result.status == 0)
        // Hummingbird writes the random half of a request's id without its leading zeros.
        let request = result.error.firstMatch(of: /path: \/, request [0-9a-f]{17,32}, (trace [0-9a-f]{32})/)
        let trace = try #require(request?.output.1)
        let handled = result.error.split(separator: "\n")
            .filter { $0.contains("FeedFeature.LoadFeed took") && $0.contains(trace) }
        #expect(handled.count == 2, "on the page and on the worker: \(result.error)")
    }

    @Test func `a page with a public address shows developers nothing`() async throws {
        let result = try await FeedCommand.run("web", "--inspect", "--public-url", "https://feed.example", home: home)
        #expect(result.status == 64)
        #expect(result.error.contains("--inspect and --public-url contradict each other."))
    }
}

import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HealthTests {
    private struct Down: Error {
        let secret = "postgres://root:hunter2@db"
    }

    private let clock = ManualClock()

    private func client(_ checks: [HealthCheck]) -> RouterHTTPClient<RouterResponder<BasicRequestContext>> {
        RouterHTTPClient(Router().health(checks: checks, timeout: .seconds(2), clock: clock))
    }

    @Test
    func `a server that runs is live, whatever else is wrong`() async throws {
        let client = client([HealthCheck("database") { throw Down() }])
        for method in [HTTPRequest.Method.get, .head] {
            let answer = try await client.ask(method, "/health")
            #expect(answer.status == 204)
            #expect(answer[.cacheControl] == "no-store")
        }
    }

    @Test
    func `a server whose checks pass is ready`() async throws {
        #expect(try await client([]).ask(.get, "/ready").status == 204)
        #expect(
            try await client([HealthCheck("database") {}, HealthCheck("mail") {}]).ask(.get, "/ready").status == 204
        )
    }

    @Test
    func `a server that is not ready names what failed, and no more`() async throws {
        let client = client([
            HealthCheck("mail") { throw Down() }, HealthCheck("disk") {}, HealthCheck("database") { throw Down() },
        ])
        let answer = try await client.ask(.get, "/ready")
        #expect(answer.status == 503)
        #expect(answer[.cacheControl] == "no-store")
        #expect(answer.problem?.detail == "Not ready: mail, database.")
        #expect(!answer.text.contains("hunter2"))
        let head = try await client.ask(.head, "/ready")
        #expect(head.status == 503)
        #expect(head.content.isEmpty)
    }

    @Test
    func `a check that takes too long has failed`() async throws {
        let client = client([HealthCheck("database") { try await Gate().pass() }])
        async let answer = client.ask(.get, "/ready")
        #expect(await clock.nextSleeper() == .seconds(2))
        clock.advance(by: .seconds(2))
        let problem = try await answer.problem
        #expect(problem?.detail == "Not ready: database.")
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])
    func `other methods are not allowed, including unknown ones`(name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        for path in ["/health", "/ready", "/ready/"] {
            let answer = try await client([]).ask(method, path)
            #expect(answer.status == 405)
            #expect(answer[.allow] == "GET, HEAD, OPTIONS")
            #expect(answer.problem != nil)
        }
        #expect(try await client([]).ask(method, "/healthy").status == 404)
    }

    @Test
    func `OPTIONS lists the methods`() async throws {
        for path in ["/health", "/ready"] {
            let answer = try await client([]).ask(.options, path)
            #expect(answer.status == 204)
            #expect(answer[.allow] == "GET, HEAD, OPTIONS")
        }
    }
}

import DuetHummingbird
import DuetTesting
import Hummingbird
import InMemoryLogging
import Logging
import Testing

struct RequestLoggingTests {
    @Test(arguments: [200, 404, 500])
    func `the log has the path of a request and not its query`(status: Int) async throws {
        let (router, log) = (Router(), InMemoryLogHandler())
        router.add(middleware: RequestLoggingMiddleware(.info))
        router.get("notes") { _, _ in try Self.end(with: status) }
        let client = RouterHTTPClient(router, logger: Logger(label: "test") { _ in log })

        #expect(try await client.ask(.get, "/notes?token=secret&q=typed").status == status)

        #expect(log.entries.count { $0.message == "Request" } == 1)
        #expect(log.entries.first?.metadata["hb.request.path"] == "/notes")
        #expect(log.entries.first?.metadata["hb.request.method"] == "GET")
        #expect(!log.entries.contains { "\($0)".contains("secret") || "\($0)".contains("typed") })
    }

    private static func end(with status: Int) throws -> String {
        guard status == 200 else { throw HTTPError(.init(code: status)) }
        return "notes"
    }
}

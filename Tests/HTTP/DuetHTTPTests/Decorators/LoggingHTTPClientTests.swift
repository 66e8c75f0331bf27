import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite
struct LoggingHTTPClientTests {
    private let clock = ManualClock()
    private let journal = ExchangeLog()

    @Test func `a response is logged with its status, size and duration`() async throws {
        let clock = clock
        let server = StubClient { _ in
            clock.advance(by: .milliseconds(1_500))
            return answer(404, body: "gone")
        }
        var options = HTTPRequestOptions()
        options.messageName = "Feed.LoadFeed"
        options.pathTemplate = "{key}"
        let client = server.logging(clock: clock, journal.write)
        _ = try await options.use {
            try await client.data(for: request(.post, "https://me:pass@api.example/a?token=secret"))
        }
        let entry = try #require(journal.entries.first)
        #expect(entry.status?.code == 404)
        #expect(entry.bodySize == 4)
        #expect(entry.pathTemplate == "{key}")
        #expect(entry.error == nil)
        #expect(
            entry.description == "Feed.LoadFeed: POST https://api.example/a, 1.5 seconds: 404, 4 bytes"
        )
    }

    @Test(
        arguments: [
            ("Far; fwd=miss, Duet; hit; ttl=60", "hit"), ("Duet; fwd=uri-miss; stored; key=secret", "fwd=uri-miss"),
            ("Duet; key=secret", nil), ("Duet", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `the result of the nearest cache is logged, and none of its other parameters`(field: String, told: String?)
        async throws
    {
        let server = StubClient { _ in
            (HTTPResponse(status: .ok, headerFields: [try #require(HTTPField.Name("Cache-Status")): field]), Data())
        }
        _ = try await server.logging(clock: clock, journal.write).data(for: request())
        let entry = try #require(journal.entries.first)
        #expect(entry.cache == told)
        #expect(entry.description.hasSuffix(told.map { "0 bytes, cache \($0)" } ?? "0 bytes"))
    }

    @Test func `an accent does not hide the mark that begins a query or fragment`() async throws {
        let original = request(.get, "https://me:s3cret@\u{301}api.example/a?\u{301}token=s3cret&b=\u{301}s3cret")

        _ = try await StubClient(statuses: 200).logging(clock: clock, journal.write).data(for: original)

        #expect(journal.entries.count == 1)
        #expect(journal.entries.first?.description.contains("s3cret") == false)
    }

    @Test func `a failure is logged and thrown`() async throws {
        let server = StubClient { _ in throw HTTPClientError.shutDown(url: "https://api.example/a") }
        await #expect(throws: HTTPClientError.self) {
            try await server.logging(clock: clock, journal.write).data(for: request())
        }
        #expect(journal.entries.count == 1)
        #expect(journal.entries.first?.status == nil)
        #expect(journal.entries.first?.description.contains("shut down") == true)
    }

    @Test func `within a retry each attempt is logged, outside the request`() async throws {
        let within = ExchangeLog()
        let client = StubClient(statuses: 503, 429, 200).logging(clock: clock, within.write)
            .retrying(HTTPRetryPolicy(backoff: .constant(.zero)), clock: clock).logging(clock: clock, journal.write)
        _ = try await client.data(for: request())
        #expect(within.entries.map(\.attempt) == [1, 2, 3])
        #expect(within.entries.map(\.status?.code) == [503, 429, 200])
        #expect(journal.entries.map(\.attempt) == [1])
        let line = "GET https://api.example/a, attempt 3, 0 milliseconds: 200, 0 bytes"
        #expect(within.entries.last?.description == line)
    }
}

private final class ExchangeLog: Sendable {
    private let log = Mutex<[HTTPExchange]>([])
    var entries: [HTTPExchange] { log.withLock { $0 } }
    var write: @Sendable (HTTPExchange) -> Void { { entry in self.log.withLock { $0.append(entry) } } }
}

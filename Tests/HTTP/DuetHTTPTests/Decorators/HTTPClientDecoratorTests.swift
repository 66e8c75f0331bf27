import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite
struct HTTPClientDecoratorTests {
    private let clock = ManualClock()

    @Test func `the layers are printed from the outermost to the client`() throws {
        let server = try BaseURL(#require(URL(string: "https://api.example")))
        let client = StubClient(statuses: 200)
            .limiting(concurrency: 20)
            .authenticated(by: NoToken(), at: server)
            .retrying()
            .followingRedirects()
            .limiting(bodySize: 1_000)
            .deadline(.seconds(30))
            .logging { _ in }
        #expect(
            client.layers == [
                "log", "deadline 30 seconds", "bodies of at most 1000 bytes", "redirects, at most 5",
                "retry, at most 3 attempts", "bearer token", "at most 20 at a time, 1000 waiting",
                "StubClient",
            ]
        )
        #expect(StubClient(statuses: 200).layers == ["StubClient"])
    }

    @Test(arguments: [false, true])
    func `a message bypasses a retry`(isPast: Bool) async throws {
        let server = StubClient(statuses: 503, 200)
        let client = server.retrying(HTTPRetryPolicy(backoff: .constant(.zero)), clock: clock)
        let status = try await past(isPast ? RetryingHTTPClient.self : nil) {
            try await client.data(for: request()).0.status
        }
        #expect(status.code == (isPast ? 503 : 200))
    }

    @Test(arguments: [false, true])
    func `a message bypasses redirects`(isPast: Bool) async throws {
        let server = StubClient { $0.number == 1 ? answer(302, [.location: "/b"]) : answer() }
        let client = server.followingRedirects()
        let status = try await past(isPast ? RedirectingHTTPClient.self : nil) {
            try await client.data(for: request()).0.status
        }
        #expect(status.code == (isPast ? 302 : 200))
    }

    @Test(arguments: [false, true])
    func `a message bypasses bearer tokens`(isPast: Bool) async throws {
        let server = StubClient(statuses: 200)
        let client = server.authenticated(by: OneToken(), at: try BaseURL(#require(URL(string: "https://api.example"))))
        _ = try await past(isPast ? AuthenticatingHTTPClient.self : nil) {
            try await client.data(for: request()).0
        }
        #expect(server.sent.first?.request.headerFields[.authorization] == (isPast ? nil : "Bearer t"))
    }

    @Test(arguments: [false, true])
    func `a message bypasses a deadline`(isPast: Bool) async throws {
        let server = StubClient(statuses: 200)
        let client = server.deadline(.seconds(1), clock: clock)
        _ = try await past(isPast ? DeadlineHTTPClient.self : nil) { try await client.data(for: request()).0 }
        #expect(server.sent.first?.timeLeft == (isPast ? nil : .seconds(1)))
    }

    @Test(arguments: [false, true])
    func `a message bypasses a log`(isPast: Bool) async throws {
        let count = Mutex(0)
        let client = StubClient(statuses: 200).logging { _ in count.withLock { $0 += 1 } }
        _ = try await past(isPast ? LoggingHTTPClient.self : nil) { try await client.data(for: request()).0 }
        #expect(count.withLock { $0 } == (isPast ? 0 : 1))
    }

    @Test(arguments: [false, true])
    func `a message bypasses a body limit`(isPast: Bool) async throws {
        let server = StubClient(statuses: 200)
        let client = server.limiting(bodySize: 1)
        _ = try await past(isPast ? BodyLimitingHTTPClient.self : nil) { try await client.data(for: request()).0 }
        #expect(server.sent.first?.options.maximumBodySize == (isPast ? nil : 1))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a message bypasses a concurrency limit`() async throws {
        let gate = Gate()
        let server = StubClient { sent in
            if sent.number == 1 { try await gate.pass() }
            return answer()
        }
        let client = server.limiting(concurrency: 1)
        let first = Task { try await client.data(for: request()).0.status }
        await gate.arrivals(1)
        let status = try await past(ConcurrencyLimitingHTTPClient.self) {
            try await client.data(for: request()).0.status
        }
        #expect(status == .ok)
        gate.open()
        #expect(try await first.value == .ok)
    }

    @Test func `a message bypasses a custom decorator, and not the others`() async throws {
        let server = StubClient(statuses: 200)
        let client = Stamping(base: Stamping2(base: server))
        _ = try await client.data(for: request())
        _ = try await past(Stamping.self) { try await client.data(for: request()).0 }
        #expect(server.sent.map { $0.request.headerFields[.accept] } == ["one, two", "two"])
        #expect(client.layers == ["stamp one", "stamp two", "StubClient"])
    }

    @Test func `options are those of the innermost use, and gone after it`() async throws {
        var outer = HTTPRequestOptions()
        outer.messageName = "outer"
        var inner = outer
        inner.messageName = "inner"
        await outer.use {
            await inner.use { #expect(HTTPRequestOptions.current.messageName == "inner") }
            #expect(HTTPRequestOptions.current.messageName == "outer")
        }
        #expect(HTTPRequestOptions.current.messageName == nil)
        #expect(HTTPRequestOptions.current.attempt == 1)
    }

    private func past<Value>(
        _ decorator: (any HTTPClientDecorator.Type)?,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var options = HTTPRequestOptions()
        options.bypassedDecorators = decorator.map { [$0] } ?? []
        return try await options.use(operation)
    }
}

private struct Stamping: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "stamp one" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[values: .accept].append("one")
        return try await base.send(request, body: body)
    }
}

private struct Stamping2: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "stamp two" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[values: .accept].append("two")
        return try await base.send(request, body: body)
    }
}

private struct NoToken: TokenSource {
    func current() async throws -> String? { nil }
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

private struct OneToken: TokenSource {
    func current() async throws -> String? { "t" }
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

import Duet
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite
struct HTTPClientDecoratorTests {
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

    /// A layer, and what shows whether a request has passed it.
    struct Layer: CustomTestStringConvertible, Sendable {
        let type: any HTTPClientDecorator.Type
        /// The first status of the server, which responds with 200 afterwards.
        var first = 200
        /// The result with the layer, and without it.
        let seen: (with: String, without: String)
        let add: @Sendable (StubClient) throws -> any HTTPClient
        let see: @Sendable (HTTPResponse.Status, StubClient.Sent) -> String

        var testDescription: String { "\(type)" }
    }

    static let layers = [
        Layer(type: RetryingHTTPClient.self, first: 503, seen: ("200", "503")) {
            $0.retrying(HTTPRetryPolicy(backoff: .constant(.zero)), clock: ManualClock())
        } see: { status, _ in
            "\(status.code)"
        },
        Layer(type: RedirectingHTTPClient.self, first: 302, seen: ("200", "302")) {
            $0.followingRedirects()
        } see: { status, _ in
            "\(status.code)"
        },
        Layer(type: AuthenticatingHTTPClient.self, seen: ("Bearer t", "nil")) {
            $0.authenticated(by: OneToken(), at: try BaseURL("https://api.example"))
        } see: { _, sent in
            sent.request.headerFields[.authorization] ?? "nil"
        },
        Layer(type: DeadlineHTTPClient.self, seen: ("1.0 seconds", "nil")) {
            $0.deadline(.seconds(1), clock: ManualClock())
        } see: { _, sent in
            sent.timeLeft?.description ?? "nil"
        },
        Layer(type: BodyLimitingHTTPClient.self, seen: ("1", "nil")) {
            $0.limiting(bodySize: 1)
        } see: { _, sent in
            sent.options.maximumBodySize?.description ?? "nil"
        },
    ]

    @Test(arguments: layers, [false, true])
    func `a message bypasses a layer`(layer: Layer, isPast: Bool) async throws {
        let server = StubClient { $0.number == 1 ? answer(layer.first, [.location: "/b"]) : answer() }
        let client = try layer.add(server)
        let status = try await past(isPast ? layer.type : nil) { try await client.data(for: request()).0.status }
        let seen = layer.see(status, try #require(server.sent.first))
        #expect(seen == (isPast ? layer.seen.without : layer.seen.with))
    }

    @Test(arguments: [false, true])
    func `a message bypasses a log`(isPast: Bool) async throws {
        let count = Mutex(0)
        let client = StubClient(statuses: 200).logging { _ in count.withLock { $0 += 1 } }
        _ = try await past(isPast ? LoggingHTTPClient.self : nil) { try await client.data(for: request()).0 }
        #expect(count.withLock { $0 } == (isPast ? 0 : 1))
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
        let client = Stamping<One>(base: Stamping<Two>(base: server))
        _ = try await client.data(for: request())
        _ = try await past(Stamping<One>.self) { try await client.data(for: request()).0 }
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

private struct Stamping<Stamp: StampText>: HTTPClientDecorator {
    let base: any HTTPClient
    var summary: String { "stamp \(Stamp.text)" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[values: .accept].append(Stamp.text)
        return try await base.send(request, body: body)
    }
}

/// Makes two types of decorators of one.
private protocol StampText: Sendable { static var text: String { get } }
private enum One: StampText { static let text = "one" }
private enum Two: StampText { static let text = "two" }

private struct NoToken: TokenSource {
    func current() async throws -> String? { nil }
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

private struct OneToken: TokenSource {
    func current() async throws -> String? { "t" }
    func refresh(replacing rejected: String?) async throws -> String? { nil }
}

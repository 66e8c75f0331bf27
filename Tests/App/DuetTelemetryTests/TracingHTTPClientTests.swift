import Duet
import DuetHTTP
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite(.timeLimit(.minutes(5)))
struct TracingHTTPClientTests {
    private let tracer = InMemoryTracer()
    private let server = MockHTTPClient()

    private var client: some HTTPClient { server.tracing(tracer) }

    @Test
    func `a request is a client span with the method and the template`() async throws {
        server.expect(.get, "/v1/image/7")
        try await options(message: "comments", template: "v1/image/{id}").use {
            _ = try await client.data(for: request())
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "GET /v1/image/{id}")
        #expect(span.kind == .client)
        #expect(
            texts(span) == [
                "http.request.method": "GET", "url.template": "/v1/image/{id}", "duet.message": "comments",
                "server.address": "server", "server.port": "80", "http.response.status_code": "200",
            ]
        )
        #expect(span.status == nil)
        #expect(span.errors.isEmpty)
    }

    @Test
    func `a request without a template has the message's name, else only the method`() async throws {
        server.expect(.get, "/v1/image/7", times: 2)
        try await options(message: "comments").use { _ = try await client.data(for: request()) }
        _ = try await client.data(for: request())
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET comments", "GET"])
        #expect(texts(tracer.finishedSpans[1])["url.template"] == nil)
    }

    @Test
    func `an unknown method is not part of the span's name`() async throws {
        let method = try #require(HTTPRequest.Method("MADEUP"))
        server.expect(method, "/")
        _ = try await client.data(for: request(method, "/"))
        #expect(tracer.finishedSpans.map(\.operationName) == ["HTTP"])
        #expect(texts(tracer.finishedSpans[0])["http.request.method"] == "_OTHER")
    }

    @Test(arguments: HTTPStreamingContract.allCases)
    func `bodies pass through as they arrive`(clause: HTTPStreamingContract) async throws {
        try await clause.verify { $0.tracing(tracer) }
    }

    @Test(arguments: [nil, "DuetHTTP.HTTPClientError.connectionFailed", "Swift.CancellationError"])
    func `a span ends with the body`(error: String?) async throws {
        let origin = HeldOrigin(breaks: error?.hasPrefix("DuetHTTP") == true)
        origin.gate.open()
        do {
            let (_, body) = try await origin.tracing(tracer).send(request(), body: nil)
            #expect(tracer.finishedSpans.isEmpty)
            if error?.hasPrefix("Swift") != true { _ = try? await body.collect(upTo: .max, orThrow: Fault.lost) }
            withExtendedLifetime(body) {}
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(texts(span)["error.type"] == error)
        #expect(texts(span)["http.response.status_code"] == "200")
        #expect((span.status?.code == .error, span.errors.count) == (error != nil, error == nil ? 0 : 1))
        #expect(tracer.finishedSpans.count == 1)
    }

    @Test(
        arguments: [
            ("http", "server", "server", "80"), ("https", "server", "server", "443"),
            ("https", "server:8443", "server", "8443"), ("http", "[::1]:81", "::1", "81"),
            ("http", "anna:secret@server:82", "server", "82"),
        ]
    )
    func `the span has the server's address and port`(scheme: String, authority: String, address: String, port: String)
        async throws
    {
        server.expect(.get, "/")
        _ = try await client.data(for: request(.get, "/", scheme: scheme, authority: authority))
        let attributes = texts(try #require(tracer.finishedSpans.first))
        #expect(attributes["server.address"] == address)
        #expect(attributes["server.port"] == port)
    }

    @Test
    func `the span has no values from the request`() async throws {
        var sent = request(.post, "/secret?token=secret#secret", authority: "secret:secret@server")
        sent.headerFields[.authorization] = "Bearer secret"
        server.expect(.post, "/secret?token=secret#secret", json: #""secret""#)
        try await options(message: "comments", template: "{id}").use {
            _ = try await client.data(for: sent, body: Data("secret".utf8))
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(!"\(span.operationName) \(texts(span))".contains("secret"))
    }

    @Test
    func `an error that contains a URL is recorded by its type alone`() async throws {
        let failure = HTTPClientError.deadlineExceeded(url: "http://server/v1/image/s3cret", after: .seconds(1))
        server.expect(.get, "/v1/image/s3cret", throwing: failure)
        let error = await #expect(throws: HTTPClientError.self) {
            try await client.data(for: request(.get, "/v1/image/s3cret"))
        }
        #expect(error.map { "\($0)" }?.contains("s3cret") == true)
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.errors.map { "\($0.error)" } == ["DuetHTTP.HTTPClientError.deadlineExceeded"])
        #expect(span.status?.code == .error)
    }

    @Test(arguments: [399, 400, 401, 499, 500])
    func `a response with status 400 or more is an error`(status: Int) async throws {
        server.expect(.get, "/", status: HTTPResponse.Status(code: status))
        _ = try await client.data(for: request(.get, "/"))
        let span = try #require(tracer.finishedSpans.first)
        #expect(texts(span)["http.response.status_code"] == "\(status)")
        #expect(texts(span)["error.type"] == (status < 400 ? nil : "\(status)"))
        #expect(span.status?.code == (status < 400 ? nil : .error))
    }

    @Test
    func `a request without a response is an error with its type, and the sender gets it`() async throws {
        server.expect(.get, "/", throwing: Fault.broken("pipe"))
        server.expect(.get, "/", throwing: Fault.lost)
        await #expect(throws: Fault.self) { try await client.data(for: request(.get, "/")) }
        await #expect(throws: Fault.self) { try await client.data(for: request(.get, "/")) }
        let types = tracer.finishedSpans.map { texts($0)["error.type"] }
        #expect(types == ["DuetTelemetryTests.Fault.broken", "DuetTelemetryTests.Fault"])
        #expect(tracer.finishedSpans.map(\.errors.count) == [1, 1])
        #expect(tracer.finishedSpans.map(\.status?.code) == [.error, .error])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `the span is a child of the task's span, and its context is sent to the server`() async throws {
        let client = client
        server.expect(.get, "/", times: 2)
        try await tracer.withSpan("outer") { _ in
            _ = try await client.data(for: request(.get, "/"))
            _ = try await client.data(for: request(.get, "/"))
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["GET", "GET", "outer"])
        #expect(spans[0].parentSpanID == spans[2].spanID)
        #expect(spans[1].parentSpanID == spans[2].spanID)
        for (span, received) in zip(spans, server.received) {
            let fields = received.request.headerFields
            #expect(fields[try name(InMemoryTracer.traceIDKey)] == spans[2].traceID)
            #expect(fields[try name(InMemoryTracer.spanIDKey)] == span.spanID)
        }
    }

    @Test
    func `the span's context replaces a trace in the request`() async throws {
        server.expect(.get, "/")
        var sent = request(.get, "/")
        sent.headerFields[try name(InMemoryTracer.traceIDKey)] = "forged"
        _ = try await client.data(for: sent)
        let fields = try #require(server.received.first).request.headerFields
        #expect(fields[values: try name(InMemoryTracer.traceIDKey)] == [tracer.finishedSpans[0].traceID])
    }

    @Test
    func `inside a retry each attempt has its own span, and outside all attempts have one`() async throws {
        let failure = HTTPClientError.deadlineExceeded(url: "http://server/", after: .seconds(1))
        server.expect(.get, "/", times: 3, throwing: failure)
        let policy = HTTPRetryPolicy(maximumAttempts: 3, backoff: .constant(.zero), budget: .unlimited)
        let client = client.retrying(policy).tracing(tracer)
        await #expect(throws: HTTPClientError.self) { try await client.data(for: request(.get, "/")) }
        let spans = tracer.finishedSpans
        #expect(spans.map { texts($0)["http.request.resend_count"] } == [nil, "1", "2", nil])
        #expect(Set(spans.map { texts($0)["error.type"] }) == ["DuetHTTP.HTTPClientError.deadlineExceeded"])
        #expect(spans.prefix(3).allSatisfy { $0.parentSpanID == spans.last?.spanID })
    }

    @Test
    func `without a tracer it uses that of the task`() async throws {
        server.expect(.get, "/")
        let client = server.tracing()
        try await withTracer(tracer) { _ = try await client.data(for: request(.get, "/")) }
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET"])
        #expect(
            server.received[0].request.headerFields[try name(InMemoryTracer.spanIDKey)]
                == tracer.finishedSpans[0].spanID
        )
    }

    @Test
    func `a message can bypass it`() async throws {
        server.expect(.get, "/")
        var options = options(message: "comments")
        options.bypassedDecorators = [TracingHTTPClient.self]
        try await options.use { _ = try await client.data(for: request(.get, "/")) }
        #expect(tracer.finishedSpans.isEmpty)
        #expect(server.received[0].request.headerFields == [:])
    }

    @Test
    func `it is one of the printed layers`() {
        #expect(client.layers == ["traces", "MockHTTPClient"])
    }
}

private func name(_ name: String) throws -> HTTPField.Name {
    try #require(HTTPField.Name(name))
}

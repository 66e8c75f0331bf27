import CoreMetrics
import DuetHTTP
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import MetricsTestKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MeasuringHTTPClientTests {
    private let metrics = TestMetrics()
    private let clock = ManualClock()
    private let server = MockHTTPClient()

    private var client: some HTTPClient { server.measuring(metrics, clock: clock) }

    @Test
    func `the duration of a request is recorded by method, status and message`() async throws {
        let clock = clock
        server.expect(.get, "/v1/image/7") { _, _ in
            clock.advance(by: .milliseconds(1500))
            return (HTTPResponse(status: .ok), Data())
        }
        try await options(message: "comments", template: "v1/image/{id}").use {
            _ = try await client.data(for: request())
        }
        let timer = try metrics.expectTimer("http.client.request.duration", dimensions("GET", "200", "", "comments"))
        #expect(timer.values == [1_500_000_000])
        #expect(timer.displayUnit == .seconds)
        #expect(metrics.timers.count == 1)
    }

    @Test(arguments: [399, 400, 500])
    func `a response with status 400 or more is an error`(status: Int) async throws {
        server.expect(.get, "/", status: HTTPResponse.Status(code: status))
        _ = try await client.data(for: request(.get, "/"))
        let error = status < 400 ? "" : "\(status)"
        let timer = try metrics.expectTimer("http.client.request.duration", dimensions("GET", "\(status)", error, ""))
        #expect(timer.values == [0])
    }

    @Test
    func `a request without a response is an error with its type, and the sender gets it`() async throws {
        let clock = clock
        server.expect(.get, "/") { _, _ in
            clock.advance(by: .seconds(2))
            throw Fault.broken("pipe")
        }
        await #expect(throws: Fault.self) { try await client.data(for: request(.get, "/")) }
        let error = "DuetTelemetryTests.Fault.broken"
        let timer = try metrics.expectTimer("http.client.request.duration", dimensions("GET", "", error, ""))
        #expect(timer.values == [2_000_000_000])
    }

    @Test
    func `requests are active until their response or their error arrives`() async throws {
        let (metrics, client) = (metrics, client)
        server.expect(.get, "/") { _, _ in
            _ = try await client.data(for: request(.get, "/inner"))
            return (HTTPResponse(status: .ok), Data())
        }
        server.expect(.get, "/inner", throwing: Fault.lost)
        await #expect(throws: Fault.self) { try await client.data(for: request(.get, "/")) }
        let active = try metrics.expectMeter("http.client.active_requests", [("http.request.method", "GET")])
        #expect(active.values == [1, 2, 1, 0])
    }

    @Test
    func `unknown methods share one metric`() async throws {
        for number in 0..<50 {
            let method = try #require(HTTPRequest.Method("MADEUP\(number)"))
            server.expect(method, "/v1/image/\(number)?token=\(number)")
            try await options(message: "comments", template: "v1/image/{id}").use {
                _ = try await client.data(
                    for: request(method, "/v1/image/\(number)?token=\(number)", authority: "server\(number)")
                )
            }
        }
        #expect(metrics.timers.count == 1)
        #expect(metrics.meters.count == 1)
        let timer = try metrics.expectTimer("http.client.request.duration", dimensions("_OTHER", "200", "", "comments"))
        #expect(timer.values.count == 50)
    }

    @Test
    func `without a factory it uses that of the task`() async throws {
        server.expect(.get, "/")
        let client = server.measuring()
        try await withMetricsFactory(metrics) { _ = try await client.data(for: request(.get, "/")) }
        #expect(metrics.timers.count == 1)
    }

    @Test
    func `a message can bypass it`() async throws {
        server.expect(.get, "/")
        var options = options(message: "comments")
        options.bypassedDecorators = [MeasuringHTTPClient.self]
        try await options.use { _ = try await client.data(for: request(.get, "/")) }
        #expect(metrics.timers.isEmpty)
        #expect(metrics.meters.isEmpty)
    }

    @Test(arguments: HTTPStreamingContract.allCases)
    func `bodies pass through as they arrive`(clause: HTTPStreamingContract) async throws {
        try await clause.verify { $0.measuring(metrics, clock: clock) }
    }

    @Test(arguments: [false, true])
    func `a request is active until its body has been read, or was dropped`(isRead: Bool) async throws {
        let origin = HeldOrigin()
        origin.gate.open()
        do {
            let (_, body) = try await origin.measuring(metrics, clock: clock).send(request(.get, "/"), body: nil)
            clock.advance(by: .seconds(3))
            #expect(metrics.timers.isEmpty)
            if isRead { for try await _ in body {} }
            withExtendedLifetime(body) {}
        }
        let error = isRead ? "" : "Swift.CancellationError"
        let timer = try metrics.expectTimer("http.client.request.duration", dimensions("GET", "200", error, ""))
        #expect(timer.values == [3_000_000_000])
        let active = try metrics.expectMeter("http.client.active_requests", [("http.request.method", "GET")])
        #expect(active.values == [1, 0])
    }

    @Test
    func `it is one of the printed layers`() {
        #expect(client.tracing().layers == ["traces", "metrics", "MockHTTPClient"])
    }
}

private func dimensions(_ method: String, _ status: String, _ error: String, _ message: String) -> [(String, String)] {
    [
        ("http.request.method", method), ("http.response.status_code", status), ("error.type", error),
        ("duet.message", message),
    ]
}

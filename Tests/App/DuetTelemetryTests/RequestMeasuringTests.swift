import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MetricsTestKit
import NIOCore
import NIOEmbedded
import Testing

/// The metrics of a server's requests.
@Suite(.timeLimit(.minutes(5)))
struct RequestMeasuringTests {
    private let metrics = TestMetrics()
    private let clock = ManualClock()

    /// A router whose routes take five milliseconds for a response.
    private var router: Router<BasicRequestContext> {
        let clock = clock
        let router = Router()
        router.add(middleware: RequestMeasuringMiddleware(metrics, clock: clock))
        router.get("images/:id") { _, _ in
            clock.advance(by: .milliseconds(5))
            return "an image"
        }
        router.get("refused") { _, _ -> String in
            clock.advance(by: .milliseconds(5))
            throw HTTPError(.conflict)
        }
        router.get("broken") { _, _ -> String in throw Fault.lost }
        return router
    }

    private func dimensions(_ route: String, _ status: String, method: String = "GET") -> [(String, String)] {
        [("http.route", route), ("http.request.method", method), ("http.response.status_code", status)]
    }

    private func active(_ method: String = "GET") throws -> Double {
        let meter = try metrics.expectMeter("http.server.active_requests", [("http.request.method", method)])
        return try #require(meter.lastValue)
    }

    @Test func `requests of one route are counted and timed together`() async throws {
        let client = RouterHTTPClient(router)
        for id in 1...3 { _ = try await client.data(for: request(.get, "/images/\(id)?secret=\(id)")) }
        let route = dimensions("/images/{id}", "200")
        #expect(try metrics.expectCounter("hb.requests", route).totalValue == 3)
        #expect(
            try metrics.expectTimer("http.server.request.duration", route).values == [5_000_000, 5_000_000, 5_000_000]
        )
        #expect(metrics.timers.count == 1)
        #expect(metrics.counterTotal(label: "hb.request.errors") == 0)
        #expect(try active() == 0)
    }

    @Test(arguments: [("/refused", "409"), ("/broken", "500"), ("/nowhere", "404")])
    func `a thrown error is counted with its status`(path: String, status: String) async throws {
        let (response, _) = try await RouterHTTPClient(router).data(for: request(.get, path))
        #expect("\(response.status.code)" == status)
        let route = status == "404" ? "NotFound" : path
        #expect(try metrics.expectCounter("hb.requests", dimensions(route, status)).totalValue == 1)
        #expect(try metrics.expectTimer("http.server.request.duration", dimensions(route, status)).values.count == 1)
        let error = [("http.route", route), ("http.request.method", "GET"), ("error.type", status)]
        #expect(try metrics.expectCounter("hb.request.errors", error).totalValue == 1)
        #expect(try active() == 0)
    }

    @Test func `a sender cannot fill the memory with methods`() async throws {
        let client = RouterHTTPClient(router)
        for number in 1...20 {
            let method = try #require(HTTPRequest.Method("METHOD\(number)"))
            _ = try await client.data(for: request(method, "/images/1"))
        }
        #expect(
            try metrics.expectCounter("hb.requests", dimensions("NotFound", "404", method: "_OTHER")).totalValue == 20
        )
        #expect(metrics.meters.count == 1)
        #expect(try active("_OTHER") == 0)
    }

    private typealias Measuring = RequestMeasuringMiddleware<BasicRequestContext>

    private func response(_ body: ResponseBody) async throws -> Response {
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        return try await Measuring(metrics, clock: clock).handle(
            Request(head: request(), body: RequestBody(buffer: ByteBuffer())),
            context: BasicRequestContext(source: source)
        ) { [clock] _, _ in
            clock.advance(by: .milliseconds(5))
            return Response(status: .ok, body: body)
        }
    }

    @Test func `a stream is timed until it begins, and active until it ends`() async throws {
        func write() async throws {
            let stream = ResponseBody { [self] writer in
                clock.advance(by: .seconds(60))
                let streams = try active()
                #expect(streams == 1)
                try await writer.finish(nil)
            }
            try await response(stream).body.write(DroppingWriter())
        }
        try await write()
        let durations = try metrics.expectTimer("http.server.request.duration", dimensions("Unknown", "200"))
        #expect(durations.values == [5_000_000])
        #expect(try active() == 0)
    }

    @Test func `a stream that is never written is not active`() async throws {
        _ = try await response(ResponseBody { _ in Issue.record("written") })
        #expect(try active() == 0)
    }

    @Test func `a response remains one write`() async throws {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: "content"))
        let measured = try await response(body)
        #expect("\(measured.body)" == "\(body)")
        #expect(try active() == 0)
    }
}

private struct DroppingWriter: ResponseBodyWriter {
    func write(_ buffer: ByteBuffer) {}
    consuming func finish(_ trailingHeaders: HTTPFields?) {}
}

import CoreMetrics
import Duet
import DuetHTTP
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

@Suite(.timeLimit(.minutes(5)))
struct MessageMiddlewareTests {
    private let spy = SpyDispatcher()
    private let tracer = InMemoryTracer()
    private let metrics = TestMetrics()
    private let clock = ManualClock()

    @Test
    func `a message has a span with its name, and its handler runs inside`() async throws {
        let tracer = tracer
        spy.stub(Rename.self)
        spy.stub(Count.self) { _ in tracer.withSpan("inner") { _ in 7 } }
        let dispatcher = spy.tracing(tracer)
        try await dispatcher.dispatch(Rename(name: "secret"))
        #expect(try await dispatcher.dispatch(Count()) == 7)
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["rename", "inner", "count"])
        #expect(spans[1].parentSpanID == spans[2].spanID)
        #expect(texts(spans[0]) == ["duet.message": "rename", "duet.message.kind": "command"])
        #expect(texts(spans[2]) == ["duet.message": "count", "duet.message.kind": "query"])
        #expect(spans[0].status == nil)
    }

    @Test
    func `a failed message has an error type, and the sender gets the error`() async throws {
        spy.stub(Rename.self, throwing: Fault.broken("pipe"))
        spy.stub(Count.self, throwing: Fault.lost)
        let dispatcher = spy.measuring(metrics).tracing(tracer)
        await #expect(throws: Fault.self) { try await dispatcher.dispatch(Rename(name: "")) }
        await #expect(throws: Fault.self) { try await dispatcher.dispatch(Count()) }
        let types = tracer.finishedSpans.map { texts($0)["error.type"] }
        #expect(types == ["DuetTelemetryTests.Fault.broken", "DuetTelemetryTests.Fault"])
        #expect(tracer.finishedSpans.map(\.status?.code) == [.error, .error])
        let timer = try metrics.expectTimer(
            "duet.message.duration",
            dimensions("rename", "command", "DuetTelemetryTests.Fault.broken")
        )
        #expect(timer.values.count == 1)
    }

    @Test
    func `a span records only the type of an error that contains a URL`() async throws {
        spy.stub(
            Rename.self,
            throwing: HTTPClientError.deadlineExceeded(url: "http://server/s3cret", after: .seconds(1))
        )
        spy.stub(Count.self, throwing: Fault.broken("pipe"))
        let dispatcher = spy.tracing(tracer)
        await #expect(throws: HTTPClientError.self) { try await dispatcher.dispatch(Rename(name: "")) }
        await #expect(throws: Fault.self) { try await dispatcher.dispatch(Count()) }
        let recorded = tracer.finishedSpans.flatMap { $0.errors.map { "\($0.error)" } }
        #expect(recorded == ["DuetHTTP.HTTPClientError.deadlineExceeded", #"broken("pipe")"#])
    }

    @Test
    func `a span records an HTTPFailure without its URL`() async throws {
        let failure = HTTPFailure(
            message: "rename",
            request: HTTPRequest(method: .get, scheme: "http", authority: "server", path: "/s3cret"),
            reason: .status,
            response: HTTPResponse(status: .notFound),
            body: Data()
        )
        spy.stub(Rename.self, throwing: failure)
        let dispatcher = spy.tracing(tracer)
        await #expect(throws: HTTPFailure.self) { try await dispatcher.dispatch(Rename(name: "")) }
        let recorded = tracer.finishedSpans.flatMap { $0.errors.map { "\($0.error)" } }
        #expect(recorded == ["rename: the server responded with 404 Not Found."])
    }

    @Test
    func `the duration of a message is recorded by its name and kind`() async throws {
        let clock = clock
        spy.stub(Rename.self) { _ in clock.advance(by: .milliseconds(5)) }
        spy.stub(Count.self) { _ in
            clock.advance(by: .seconds(3))
            return 7
        }
        let dispatcher = spy.measuring(metrics, clock: clock)
        try await dispatcher.dispatch(Rename(name: "a"))
        try await dispatcher.dispatch(Rename(name: "b"))
        _ = try await dispatcher.dispatch(Count())
        let renames = try metrics.expectTimer("duet.message.duration", dimensions("rename", "command", ""))
        #expect(renames.values == [5_000_000, 5_000_000])
        let counts = try metrics.expectTimer("duet.message.duration", dimensions("count", "query", ""))
        #expect(counts.values == [3_000_000_000])
        #expect(metrics.timers.count == 2)
    }

    @Test
    func `a value that is not Sendable passes through`() async throws {
        spy.stub(Open.self) { _ in Notebook() }
        let dispatcher = spy.measuring(metrics).tracing(tracer)
        #expect(try await dispatcher.dispatch(Open()).pages == 0)
    }

    @Test
    func `without a tracer and a factory they use those of the task`() async throws {
        spy.stub(Rename.self)
        let dispatcher = spy.measuring().tracing()
        try await withTracer(tracer) {
            try await withMetricsFactory(metrics) { try await dispatcher.dispatch(Rename(name: "")) }
        }
        #expect(tracer.finishedSpans.map(\.operationName) == ["rename"])
        #expect(metrics.timers.count == 1)
    }

    @Test
    func `each message has a log entry with its name and without its content`() async throws {
        let clock = clock
        let log = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .trace
        spy.stub(Rename.self) { _ in clock.advance(by: .seconds(1)) }
        spy.stub(Count.self, throwing: Fault.lost)
        spy.stub(Open.self, throwing: CancellationError())
        let dispatcher = spy.logging(to: logger, level: .info, clock: clock)
        try await dispatcher.dispatch(Rename(name: "secret"))
        _ = try? await dispatcher.dispatch(Count())
        _ = try? await dispatcher.dispatch(Open())
        #expect(
            log.entries == [
                .init(level: .info, message: "handled", metadata: ["message": "rename", "duration": "1 second"]),
                .init(
                    level: .error,
                    message: "failed",
                    metadata: ["message": "count", "duration": "0 milliseconds", "error": "lost"]
                ),
                .init(
                    level: .info,
                    message: "canceled",
                    metadata: ["message": "open", "duration": "0 milliseconds", "error": "CancellationError()"]
                ),
            ]
        )
    }

    private func dimensions(_ message: String, _ kind: String, _ error: String) -> [(String, String)] {
        [("duet.message", message), ("duet.message.kind", kind), ("error.type", error)]
    }
}

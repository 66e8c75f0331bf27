import DuetAsyncHTTPClient
import DuetHTTP
import DuetTelemetry
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite(.timeLimit(.minutes(5)))
struct ServerHopTests {
    @Test
    func `a trace continues in the server`() async throws {
        let (near, far) = (InMemoryTracer(), InMemoryTracer())
        let router = Router()
        router.add(middleware: TracingMiddleware())
        router.get("v1/image/:id") { _, _ in "hello" }
        // The server's own tracer, which its connections inherit: nothing is set for the whole process.
        try await withTracer(far) {
            try await withServer(router.buildResponder()) { port in
                let client = NIOHTTPClient(clock: ManualClock())
                try await near.withSpan("outer") { _ in
                    let (_, data) = try await client.tracing(near).data(for: request(authority: "127.0.0.1:\(port)"))
                    #expect(data == Data("hello".utf8))
                }
                try await client.shutdown()
            }
        }
        let client = try #require(near.finishedSpans.first { $0.kind == .client })
        let outer = try #require(near.finishedSpans.first { $0.operationName == "outer" })
        let server = try #require(far.finishedSpans.first)
        #expect(server.kind == .server)
        #expect(server.operationName == "/v1/image/{id}")
        #expect(server.parentSpanID == client.spanID)
        #expect(client.parentSpanID == outer.spanID)
        #expect([server.traceID, client.traceID] == [outer.traceID, outer.traceID])
    }
}

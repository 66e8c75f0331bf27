import DuetTesting
import FeedServing
import Foundation
import Synchronization
import Testing
import Tracing

/// Spans, their places in a trace, and their records.
@Suite struct RequestTracerTests {
    private let log = SpanLog()

    private var tracer: RequestTracer { RequestTracer(generator: SeededGenerator(seed: 1), onEnd: log.add) }

    @Test func `a span within another one has its trace and names it as its parent`() throws {
        let tracer = tracer
        tracer.withSpan("outer") { _ in tracer.withSpan("inner", ofKind: .client) { _ in } }
        let (inner, outer) = (try #require(log.spans.first), try #require(log.spans.last))
        #expect([inner.name, outer.name] == ["inner", "outer"])
        #expect([inner.kind, outer.kind] == ["client", "internal"])
        #expect(inner.traceID == outer.traceID)
        #expect(inner.parentID == outer.spanID)
        #expect(outer.parentID == nil)
        #expect(outer.traceID.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(outer.spanID.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        #expect(outer.start <= inner.start && inner.end <= outer.end)
    }

    @Test func `separate spans begin separate traces`() {
        let tracer = tracer
        for _ in 1...2 { tracer.withSpan("span") { _ in } }
        #expect(Set(log.spans.map(\.traceID)).count == 2)
    }

    @Test func `a trace continues in another process`() throws {
        let tracer = tracer
        var fields: [String: String] = [:]
        let span = tracer.startSpan("client", context: .topLevel, ofKind: .client)
        tracer.inject(span.context, into: &fields, using: DictionaryInjector())
        let place = try #require(span.context.traceParent)
        #expect(fields == ["traceparent": "00-\(place.traceID)-\(place.spanID)-01"])

        var context = ServiceContext.topLevel
        tracer.extract(fields, into: &context, using: DictionaryExtractor())
        tracer.startSpan("server", context: context, ofKind: .server).end()
        #expect(log.spans.map(\.traceID) == [place.traceID])
        #expect(log.spans.map(\.parentID) == [place.spanID])
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
    ])
    func `an invalid field is ignored`(field: String) {
        var context = ServiceContext.topLevel
        tracer.extract(["traceparent": field], into: &context, using: DictionaryExtractor())
        #expect(context.traceParent == nil)
    }

    @Test(arguments: [
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later",
    ])
    func `traces that are not sampled, and of later versions, continue too`(field: String) {
        var context = ServiceContext.topLevel
        tracer.extract(["traceparent": field], into: &context, using: DictionaryExtractor())
        #expect(context.traceParent?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.traceParent?.spanID == "00f067aa0ba902b7")
    }

    @Test func `a finished span is one object of JSON`() throws {
        let tracer = tracer
        let span = tracer.startSpan("n\"\n", context: .topLevel, ofKind: .server)
        span.attributes["text"] = "a\"b"
        span.attributes["number"] = 7
        span.attributes["share"] = 0.5
        span.attributes["flag"] = true
        span.attributes["infinite"] = Double.infinity
        span.recordError(Fault("broken"))
        span.setStatus(SpanStatus(code: .error))
        span.end()
        span.end()
        #expect(log.spans.count == 1)
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(#require(log.spans.first)))
        let object = try #require(json as? [String: Any])
        #expect(object["name"] as? String == "n\"\n")
        #expect(object["kind"] as? String == "server")
        #expect(object["status"] as? String == "error")
        #expect(object["error"] as? String == "broken")
        #expect(object["trace_id"] as? String == log.spans[0].traceID)
        #expect(object["parent_span_id"] == nil)
        #expect((object["duration"] as? Double).map { $0 >= 0 } == true)
        let attributes = try #require(object["attributes"] as? [String: Any])
        #expect(attributes["text"] as? String == "a\"b")
        #expect(attributes["number"] as? Int == 7)
        #expect(attributes["share"] as? Double == 0.5)
        #expect(attributes["flag"] as? Bool == true)
        #expect(attributes["infinite"] is String)
    }

    @Test func `without a receiver, spans have ids and record nothing`() {
        let tracer = RequestTracer(generator: SeededGenerator(seed: 1))
        tracer.withSpan("span") { span in
            span.attributes["a"] = "b"
            #expect(span.isRecording == false)
            #expect(span.attributes.isEmpty)
            #expect(span.context.traceParent != nil)
        }
    }
}

/// Collects finished spans.
final class SpanLog: Sendable {
    private let list = Mutex<[FinishedSpan]>([])

    var spans: [FinishedSpan] { list.withLock(\.self) }

    func add(_ span: FinishedSpan) { list.withLock { $0.append(span) } }
}

private struct DictionaryInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout [String: String]) { fields[key] = value }
}

private struct DictionaryExtractor: Extractor {
    func extract(key: String, from fields: [String: String]) -> String? { fields[key] }
}

import DuetTesting
import FeedServing
import Synchronization
import Testing
import Tracing

/// Spans and their places in a trace.
@Suite struct RequestTracerTests {
    private let tracer = RequestTracer(generator: SeededGenerator(seed: 1))

    @Test func `a span within another one has its trace`() throws {
        let places = tracer.withSpan("outer") { outer in
            tracer.withSpan("inner", ofKind: .client) { [outer.context.traceParent, $0.context.traceParent] }
        }
        let (outer, inner) = (try #require(places[0]), try #require(places[1]))
        #expect(inner == outer, "no span is recorded")
        #expect(outer.traceID.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(outer.spanID.wholeMatch(of: /[0-9a-f]{16}/) != nil)
    }

    @Test func `separate spans begin separate traces`() {
        let traces = (1...2).map { _ in tracer.withSpan("span") { $0.context.traceParent?.traceID } }
        #expect(traces[0] != traces[1])
    }

    @Test func `a trace continues in another process`() throws {
        var fields: [String: String] = [:]
        let span = tracer.startSpan("client", context: .topLevel, ofKind: .client)
        tracer.inject(span.context, into: &fields, using: DictionaryInjector())
        let place = try #require(span.context.traceParent)
        #expect(fields == ["traceparent": "00-\(place.traceID)-\(place.spanID)-00"], "nothing was recorded")

        var context = ServiceContext.topLevel
        tracer.extract(fields, into: &context, using: DictionaryExtractor())
        let server = tracer.startSpan("server", context: context, ofKind: .server)
        #expect(server.context.traceParent?.traceID == place.traceID)
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        // Only the first flag is known.
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff-later", "01"),
    ])
    func `a trace is passed on with its flag, and with the place of this process`(field: String, flags: String) throws {
        var context = ServiceContext.topLevel
        tracer.extract(["traceparent": field], into: &context, using: DictionaryExtractor())
        var fields: [String: String] = [:]
        let span = tracer.startSpan("message", context: context, ofKind: .client)
        tracer.inject(span.context, into: &fields, using: DictionaryInjector())
        let place = try #require(context.traceParent)
        #expect(place.spanID != "00f067aa0ba902b7")
        #expect(fields == ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-\(place.spanID)-\(flags)"])
    }

    @Test func `nothing is drawn until somebody asks for a place`() throws {
        let draws = Mutex(0)
        let tracer = RequestTracer(generator: CountingGenerator { draws.withLock { $0 += 1 } })
        var context = ServiceContext.topLevel
        tracer.extract([:], into: &context, using: DictionaryExtractor())
        let span = tracer.startSpan("message", context: context, ofKind: .server)
        #expect(draws.withLock(\.self) == 0)
        let place = try #require(span.context.traceParent)
        let count = draws.withLock(\.self)
        #expect(count > 0)
        #expect(context.traceParent == place, "one place for the whole request")
        #expect(draws.withLock(\.self) == count)
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
    func `an invalid field is ignored, and another place is drawn`(field: String) throws {
        var context = ServiceContext.topLevel
        tracer.extract(["traceparent": field], into: &context, using: DictionaryExtractor())
        let place = try #require(context.traceParent)
        #expect(place.traceID.count == 32 && place.spanID.count == 16)
        #expect(!field.contains(place.traceID))
    }

    @Test(arguments: [
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later",
    ])
    func `traces that are not sampled, and of later versions, continue too`(field: String) {
        var context = ServiceContext.topLevel
        tracer.extract(["traceparent": field], into: &context, using: DictionaryExtractor())
        #expect(context.traceParent?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    }

    @Test func `spans record nothing, such as the query of a request`() {
        tracer.withSpan("span") { span in
            span.attributes["url.query"] = "q=secret"
            #expect(!span.isRecording && span.attributes.isEmpty)
        }
    }
}

private struct CountingGenerator: RandomNumberGenerator, Sendable {
    let count: @Sendable () -> Void

    func next() -> UInt64 {
        count()
        return 7
    }
}

private struct DictionaryInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout [String: String]) { fields[key] = value }
}

private struct DictionaryExtractor: Extractor {
    func extract(key: String, from fields: [String: String]) -> String? { fields[key] }
}

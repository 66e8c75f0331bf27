import DuetHTTP
import Logging
import Synchronization
package import Tracing

/// Gives each request and each message outside of one its place in a trace, and records nothing.
///
/// The ids identify the log lines of a request. Traces continue in other processes with the field `traceparent` of W3C
/// Trace Context (section 3.2). The place of a request is drawn when it is first asked for, in the trace that arrived.
package final class RequestTracer: Tracer {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// Creates a tracer whose ids a generator makes.
    package init(generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> NoOpTracer.NoOpSpan {
        var context = context()
        if context.ids.place == nil { context.ids.place = TracePlace(by: self) }
        return NoOpTracer.NoOpSpan(context: context)
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.traceParent else { return }
        injector.inject(parent.text, forKey: fieldName, into: &carrier)
    }

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let text = extractor.extract(key: fieldName, from: carrier)
        context.ids.place = TracePlace(in: text.flatMap(TraceParent.init), by: self)
    }

    package func forceFlush() {}

    fileprivate func draw(in parent: TraceParent?) -> TraceParent {
        generator.withLock { generator in
            TraceParent(
                traceID: parent?.traceID ?? generator.hexadecimal(16),
                spanID: generator.hexadecimal(8),
                isSampled: parent?.isSampled ?? false
            )
        }
    }
}

private let fieldName = "traceparent"

/// A place in a trace, which is drawn when it is first asked for.
private final class TracePlace: Sendable {
    private let parent: TraceParent?
    private let tracer: RequestTracer
    private let drawn = Mutex<TraceParent?>(nil)

    init(in parent: TraceParent? = nil, by tracer: RequestTracer) {
        self.parent = parent
        self.tracer = tracer
    }

    var traceParent: TraceParent {
        drawn.withLock { drawn in
            let place = drawn ?? tracer.draw(in: parent)
            drawn = place
            return place
        }
    }
}

/// The place of a span in its trace.
package struct TraceParent: Hashable, Sendable {
    /// The trace, in 32 hexadecimal digits.
    package let traceID: String

    /// The span, in 16 hexadecimal digits.
    package let spanID: String

    /// Whether somebody may have recorded the trace.
    let isSampled: Bool
}

extension TraceParent {
    /// Reads the value of the field, or returns nil for an invalid one.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // A later version may add parts; version ff is forbidden.
        guard parts.count >= 4, parts[0].isHexadecimal(2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            parts[1].isHexadecimal(32), parts[2].isHexadecimal(16), parts[3].isHexadecimal(2),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        self.init(
            traceID: String(parts[1]),
            spanID: String(parts[2]),
            isSampled: "13579bdf".contains(parts[3].suffix(1))
        )
    }

    /// The value of the field.
    var text: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }
}

extension ServiceContext {
    /// The place in the current trace; nil outside of requests and messages.
    package var traceParent: TraceParent? { ids.place?.traceParent }

    var ids: RequestIDs {
        get { self[RequestIDsKey.self] ?? RequestIDs() }
        set { self[RequestIDsKey.self] = newValue }
    }
}

struct RequestIDs {
    var request: Logger.MetadataValue?
    fileprivate var place: TracePlace?
}

private enum RequestIDsKey: ServiceContextKey {
    typealias Value = RequestIDs
}

extension RandomNumberGenerator {
    /// Returns random bytes in hexadecimal digits.
    package mutating func hexadecimal(_ count: Int) -> String {
        FieldSyntax.hexadecimal((0..<count).map { _ in .random(in: .min ... .max, using: &self) })
    }
}

extension Substring {
    /// Whether this is a lowercase hexadecimal number with some number of digits.
    fileprivate func isHexadecimal(_ count: Int) -> Bool {
        utf8.count == count
            && utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }
}

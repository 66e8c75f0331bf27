import Logging
import Synchronization
package import Tracing

/// Gives each request and each message outside of one its place in a trace, and records nothing.
///
/// The ids identify the log lines of a request. Traces continue in other processes with the field `traceparent` of W3C
/// Trace Context (section 3.2). A place that arrived in this field is kept. Another one is drawn when it is asked for.
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
        if context.ids.place == nil { context.ids.place = TracePlace(in: self) }
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
        context.ids.place = TracePlace(text.flatMap(TraceParent.init), in: self)
    }

    package func forceFlush() {}

    fileprivate func draw() -> TraceParent {
        generator.withLock { generator in
            TraceParent(
                traceID: generator.next().hexadecimal + generator.next().hexadecimal,
                spanID: generator.next().hexadecimal,
                flags: "00"
            )
        }
    }
}

private let fieldName = "traceparent"

/// A place in a trace, which is drawn when it is first asked for.
private final class TracePlace: Sendable {
    private let tracer: RequestTracer
    private let known: Mutex<TraceParent?>

    init(_ known: TraceParent? = nil, in tracer: RequestTracer) {
        self.known = Mutex(known)
        self.tracer = tracer
    }

    var traceParent: TraceParent {
        known.withLock { known in
            let parent = known ?? tracer.draw()
            known = parent
            return parent
        }
    }
}

/// The place of a span in its trace.
package struct TraceParent: Hashable, Sendable {
    /// The trace, in 32 hexadecimal digits.
    package let traceID: String

    /// The span, in 16 hexadecimal digits.
    package let spanID: String

    /// Whether the caller may have recorded it, and other flags.
    let flags: String
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
        self.init(traceID: String(parts[1]), spanID: String(parts[2]), flags: String(parts[3]))
    }

    /// The value of the field.
    var text: String { "00-\(traceID)-\(spanID)-\(flags)" }
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

extension UInt64 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
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

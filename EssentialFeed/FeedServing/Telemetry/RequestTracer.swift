import Synchronization
package import Tracing

/// Gives each span its place in a trace, and records nothing.
///
/// The ids identify the log lines of a request. Traces continue in other processes with the field `traceparent` of W3C
/// Trace Context (section 3.2).
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
        let parent = context.traceParent
        context.traceParent = generator.withLock { generator in
            TraceParent(
                traceID: parent?.traceID ?? [generator.nextID(), generator.nextID()].map(\.hexadecimal).joined(),
                spanID: generator.nextID().hexadecimal
            )
        }
        return NoOpTracer.NoOpSpan(context: context)
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context.traceParent else { return }
        injector.inject(place.text, forKey: TraceParent.fieldName, into: &carrier)
    }

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: TraceParent.fieldName, from: carrier),
            let place = TraceParent(text)
        else { return }
        context.traceParent = place
    }

    package func forceFlush() {}
}

/// The place of a span in its trace.
package struct TraceParent: Hashable, Sendable {
    static let fieldName = "traceparent"

    /// The trace, in 32 hexadecimal digits.
    package let traceID: String

    /// The span, in 16 hexadecimal digits.
    package let spanID: String
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
        self.init(traceID: String(parts[1]), spanID: String(parts[2]))
    }

    /// The value of the field, with the flag of a sampled trace.
    var text: String { "00-\(traceID)-\(spanID)-01" }
}

extension ServiceContext {
    /// The current span's place in its trace; nil outside of a span.
    package var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }
}

private enum TraceParentKey: ServiceContextKey {
    typealias Value = TraceParent
}

extension RandomNumberGenerator {
    /// Returns a random number that is not 0, which no id may be.
    fileprivate mutating func nextID() -> UInt64 { .random(in: 1 ... .max, using: &self) }
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

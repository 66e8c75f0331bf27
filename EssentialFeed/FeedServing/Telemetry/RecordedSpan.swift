import Synchronization
package import Tracing

/// A span of a ``RequestTracer``.
package final class RecordedSpan: Span {
    /// The recording of a span that somebody receives at its end.
    struct Record: Sendable {
        let kind: SpanKind
        let parentID: String?
        let start: UInt64
        let onEnd: @Sendable (FinishedSpan) -> Void
    }

    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var error: String?
        var isFailed = false
        var record: Record?
    }

    package let context: ServiceContext

    /// Whether somebody receives the span, and it has not ended.
    package var isRecording: Bool { state.withLock { $0.record != nil } }

    private let state: Mutex<State>

    init(_ name: String, _ context: ServiceContext, _ record: Record? = nil) {
        self.context = context
        state = Mutex(State(name: name, record: record))
    }

    package var operationName: String {
        get { state.withLock(\.name) }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock(\.attributes) }
        set {
            var attributes = newValue
            // A query may hold the text of a search or of an image's description.
            attributes["url.query"] = nil
            state.withLock { if $0.record != nil { $0.attributes = attributes } }
        }
    }

    package func setStatus(_ status: SpanStatus) { state.withLock { $0.isFailed = status.code == .error } }
    package func addEvent(_ event: SpanEvent) {}
    package func addLink(_ link: SpanLink) {}

    package func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        guard isRecording else { return }
        state.withLock { $0.error = "\(error)" }
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let (state, record) = state.withLock { state in (state, state.record.take()) }
        guard let record, let place = context.traceParent else { return }
        record.onEnd(
            FinishedSpan(
                name: state.name,
                kind: "\(record.kind)",
                traceID: place.traceID,
                spanID: place.spanID,
                parentID: record.parentID,
                start: record.start,
                end: max(record.start, instant().nanosecondsSinceEpoch),
                attributes: state.attributes,
                error: state.error,
                isFailed: state.isFailed
            )
        )
    }
}

/// A span that has ended.
package struct FinishedSpan: Sendable {
    /// The operation, such as a message's name.
    package let name: String

    /// The role in the operation: `server`, `client` or `internal`.
    package let kind: String

    /// The trace, in 32 hexadecimal digits.
    package let traceID: String

    /// The span, in 16 hexadecimal digits.
    package let spanID: String

    /// The span that this one is part of, in this process or another one; nil for the first of a trace.
    package let parentID: String?

    /// When the span started, in nanoseconds since 1970.
    package let start: UInt64

    /// When the span ended, in nanoseconds since 1970.
    package let end: UInt64

    /// The attributes of the operation.
    package let attributes: SpanAttributes

    /// The description of the last error, or nil.
    package let error: String?

    /// Whether the operation failed.
    package let isFailed: Bool
}

extension FinishedSpan: Encodable {
    private enum CodingKeys: String, CodingKey {
        case name, kind, start, duration, status, error, attributes
        case traceID = "trace_id"
        case spanID = "span_id"
        case parentID = "parent_span_id"
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the span with its times in seconds: `start` since 1970, and `duration`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(kind, forKey: .kind)
        try container.encode(traceID, forKey: .traceID)
        try container.encode(spanID, forKey: .spanID)
        try container.encodeIfPresent(parentID, forKey: .parentID)
        try container.encode(Double(start) / 1_000_000_000, forKey: .start)
        try container.encode(Double(end - start) / 1_000_000_000, forKey: .duration)
        try container.encode(isFailed ? "error" : "ok", forKey: .status)
        try container.encodeIfPresent(error, forKey: .error)
        var values = container.nestedContainer(keyedBy: Key.self, forKey: .attributes)
        var failure: (any Error)?
        attributes.forEach { name, attribute in
            do {
                try values.encode(attribute, forKey: Key(stringValue: name))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

extension KeyedEncodingContainer {
    fileprivate mutating func encode(_ attribute: SpanAttribute, forKey key: Key) throws {
        switch attribute {
        case .int32(let number): try encode(number, forKey: key)
        case .int64(let number): try encode(number, forKey: key)
        case .double(let number) where number.isFinite: try encode(number, forKey: key)
        case .bool(let value): try encode(value, forKey: key)
        case .string(let text): try encode(text, forKey: key)
        case .stringConvertible(let value): try encode("\(value)", forKey: key)
        default: try encode("\(attribute)", forKey: key)
        }
    }
}

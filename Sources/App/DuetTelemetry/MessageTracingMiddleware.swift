public import Duet
public import Tracing

/// Wraps the dispatch of each message in a span with the message's name.
///
/// Without a tracer, messages are only forwarded.
///
/// ```swift
/// let notes = remote.logging(to: logger, level: .info).measuring().tracing()
/// ```
///
/// The span covers the handler's work, including its requests. It has the attributes `duet.message`,
/// `duet.message.kind` (`command` or `query`), and, for a failed message, `error.type`. It records the error; for an
/// error about a request, it records only the type, because the description contains the request's path.
public struct MessageTracingMiddleware: ValuePreservingMiddleware {
    private let tracer: (any Tracer)?

    /// Creates the middleware; a nil tracer stands for the tracer of the process or task.
    public init(_ tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Dispatches the message within its own span.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        // Cheaper than to look for a tracer that is not there.
        if next.isUpdate || tracer == nil && InstrumentationSystem.instrument is NoOpInstrument {
            return try await next.dispatch(message)
        }
        let tracer = tracer ?? InstrumentationSystem.tracer
        return try await traced(M.messageName, kind: M.kindName, by: tracer) { try await next.dispatch(message) }
    }

    private func traced<Value>(
        _ message: String,
        kind: String,
        by tracer: some Tracer,
        _ dispatch: () async throws -> Value
    ) async throws -> Value {
        // An error thrown through `withSpan` would be recorded with its full description.
        let outcome: Result<Value, any Error> = await tracer.withSpan(message) { span in
            if span.isRecording {
                span.updateAttributes {
                    $0["duet.message"] = message
                    $0["duet.message.kind"] = kind
                }
            }
            do {
                return .success(try await dispatch())
            } catch {
                span.updateAttributes { $0["error.type"] = errorType(of: error) }
                span.recordError(recorded(error))
                span.setStatus(SpanStatus(code: .error))
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension Message {
    /// The value of `duet.message.kind`.
    static var kindName: String { self is any Command.Type ? "command" : "query" }
}

extension Dispatcher {
    /// Returns this dispatcher with a span for each message; `tracer` is nil for the tracer of the process or task.
    public func tracing(_ tracer: (any Tracer)? = nil) -> some Dispatcher { with(MessageTracingMiddleware(tracer)) }
}

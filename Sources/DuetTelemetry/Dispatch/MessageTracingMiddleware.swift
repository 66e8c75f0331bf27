public import Duet
public import Tracing

/// Puts the dispatch of each message into a span with the message's name.
///
/// What the handler does, requests over HTTP among it, lies within. The span has the attributes `duet.message`,
/// `duet.message.kind` (`command` or `query`) and, when the message failed, `error.type`. It records the error as it is, and
/// only the kind of one that tells of a request over HTTP: its description has the request's path.
public struct MessageTracingMiddleware: Middleware {
    private let tracer: (any Tracer)?

    private var currentTracer: any Tracer { tracer ?? InstrumentationSystem.tracer }

    /// Traces messages with a tracer; nil for the one that the process or the task has.
    public init(_ tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Dispatches the command in a span of its own.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try await traced(currentTracer, C.messageName, "command") {
            try await next.dispatch(command)
        }
    }

    /// Dispatches the query in a span of its own.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try await traced(currentTracer, Q.messageName, "query") {
            try await next.dispatch(query)
        }
    }

    private func traced<Value>(
        _ tracer: some Tracer,
        _ message: String,
        _ kind: String,
        _ dispatch: () async throws -> Value
    ) async throws -> Value {
        // The span would record an error that is thrown through it as it is.
        let outcome: Result<Value, any Error> = await tracer.withSpan(message) { span in
            span.updateAttributes {
                $0["duet.message"] = message
                $0["duet.message.kind"] = kind
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

extension Middleware where Self == MessageTracingMiddleware {
    /// Puts each message into a span; `tracer` is nil for the one that the process or the task has.
    public static func tracing(_ tracer: (any Tracer)? = nil) -> Self {
        MessageTracingMiddleware(tracer)
    }
}

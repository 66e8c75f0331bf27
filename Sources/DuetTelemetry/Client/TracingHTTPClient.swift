public import DuetHTTP
public import Foundation
public import HTTPTypes
public import Tracing

/// Puts each request into a span, and the trace's context into its fields, so that the server's spans join the trace.
///
/// Inside a retry each attempt has a span of its own; around it there is one for all of them. The attributes are those of the
/// OpenTelemetry semantic conventions for HTTP clients, without `url.full`: a path or a query may hold what no trace should,
/// and `url.template` says where the request went. For the same reason the span records of an error no more than its kind.
public struct TracingHTTPClient: HTTPClientDecorator {
    /// The client that sends the requests.
    public let base: any HTTPClient

    private let tracer: (any Tracer)?

    /// Traces the requests of a client.
    ///
    /// - Parameters:
    ///   - base: Sends the requests.
    ///   - tracer: Makes the spans and writes the fields; nil for the one that the process or the task has.
    public init(_ base: any HTTPClient, tracer: (any Tracer)? = nil) {
        self.base = base
        self.tracer = tracer
    }

    /// What it adds.
    public var summary: String { "traces" }

    /// Sends the request in a span of its own.
    ///
    /// - Throws: What `base` throws; the span tells of it.
    public func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let instrument: any Instrument = self.tracer ?? InstrumentationSystem.instrument
        return try await send(request, body: body, through: base, tracer: tracer, instrument: instrument)
    }

    private func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient,
        tracer: some Tracer,
        instrument: any Instrument
    ) async throws -> (HTTPResponse, Data) {
        let traits = RequestTraits(request)
        // The span would record an error that is thrown through it, with the URL in its description.
        let outcome: Result<(HTTPResponse, Data), any Error> = await tracer.withSpan(
            traits.spanName,
            ofKind: .client
        ) { span in
            span.updateAttributes { $0.merge(traits.spanAttributes) }
            var request = request
            instrument.inject(span.context, into: &request.headerFields, using: HTTPFieldsInjector())
            do {
                let (response, data) = try await base.send(request, body: body)
                let status = response.status.code
                span.updateAttributes { $0["http.response.status_code"] = status }
                if status >= 400 {
                    span.updateAttributes { $0["error.type"] = "\(status)" }
                    span.setStatus(SpanStatus(code: .error))
                }
                return .success((response, data))
            } catch {
                span.updateAttributes { $0["error.type"] = errorType(of: error) }
                span.recordError(ReducedError(error))
                span.setStatus(SpanStatus(code: .error))
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension HTTPClient {
    /// This client with a span for each request; `tracer` is nil for the one that the process or the task has.
    public func tracing(_ tracer: (any Tracer)? = nil) -> TracingHTTPClient {
        TracingHTTPClient(self, tracer: tracer)
    }
}

private struct HTTPFieldsInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        fields[name] = value
    }
}

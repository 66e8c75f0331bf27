public import DuetHTTP
public import HTTPTypes
public import Tracing

/// Puts each request into a span, and the trace's context into its fields, so that the server's spans join the trace.
///
/// Inside a retry each attempt has a span of its own; around it there is one for all of them. The attributes are those
/// of the OpenTelemetry semantic conventions for HTTP clients, without `url.full`: a path or a query may hold what no
/// trace should, and `url.template` says where the request went. A span ends when the answer's body has been read, has
/// failed or was dropped, which counts as an error of the type `Swift.CancellationError`. For the same reason the span
/// records of an error no more than its kind.
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

    /// Sends the request in a span of its own, which ends with the response's body.
    ///
    /// - Throws: The errors of `base`, which the span records.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let instrument: any Instrument = self.tracer ?? InstrumentationSystem.instrument
        let traits = RequestTraits(request)
        // Ended by hand: the body is read when this has returned.
        let span = tracer.startAnySpan(traits.spanName, ofKind: .client)
        span.updateAttributes { $0.merge(traits.spanAttributes) }
        var request = request
        instrument.inject(span.context, into: &request.headerFields, using: HTTPFieldsInjector())
        do {
            let (response, received) = try await ServiceContext.withValue(span.context) { [request] in
                try await base.send(request, body: body)
            }
            let status = response.status.code
            span.updateAttributes { $0["http.response.status_code"] = status }
            if status >= 400 {
                span.updateAttributes { $0["error.type"] = "\(status)" }
                span.setStatus(SpanStatus(code: .error))
            }
            return (response, received.ending { span.end($1) })
        } catch {
            span.end(error)
            throw error
        }
    }
}

extension Span {
    /// Ends the span, of an error with no more than its kind: a description of it may have the URL.
    fileprivate func end(_ error: (any Error)?) {
        if let error {
            updateAttributes { $0["error.type"] = errorType(of: error) }
            recordError(ReducedError(error))
            setStatus(SpanStatus(code: .error))
        }
        end()
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

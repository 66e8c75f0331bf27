public import DuetHTTP
package import HTTPTypes
public import Tracing

/// Wraps each request in a span, and injects the trace's context into its header fields for the server's spans.
///
/// ```swift
/// let client =
///     network
///     .measuring()
///     .tracing()
///     .retrying()
/// ```
///
/// Inside a retry, each attempt has its own span; around it, one span covers all attempts. The attributes are those of
/// the OpenTelemetry semantic conventions for HTTP clients, except `url.full`: a path or a query may contain values
/// that do not belong in a trace, and `url.template` identifies the endpoint. For the same reason, the span records
/// only the type of an error.
///
/// A span ends when the response body has been read, has failed, or was dropped. A dropped body counts as an error of
/// the type `Swift.CancellationError`.
package struct TracingHTTPClient: HTTPClientDecorator {
    package let base: any HTTPClient

    let tracer: (any Tracer)?

    package var summary: String { "traces" }

    /// Sends the request in its own span, which ends with the response body.
    ///
    /// - Throws: The error of `base`, which the span records.
    package func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let instrument: any Instrument = self.tracer ?? InstrumentationSystem.instrument
        let traits = RequestTraits(request)
        // Ended explicitly, because the body is read after this method returns.
        let span = tracer.startAnySpan(traits.spanName, ofKind: .client)
        if span.isRecording { span.updateAttributes { $0.merge(traits.spanAttributes) } }
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
    /// Ends the span, and records only the type of an error because its description may contain the URL.
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
    /// Returns this client with a span for each request; `tracer` is nil for the tracer of the process or task.
    public func tracing(_ tracer: (any Tracer)? = nil) -> some HTTPClient {
        TracingHTTPClient(base: self, tracer: tracer)
    }
}

private struct HTTPFieldsInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        fields[name] = value
    }
}

public import CoreMetrics
import Duet
public import DuetHTTP
package import HTTPTypes
import Metrics

/// Measures the duration and outcome of each request, and the number of active requests.
///
/// - `http.client.request.duration`: a timer with the dimensions `http.request.method`, `http.response.status_code`,
///   `error.type`, and `duet.message`
/// - `http.client.active_requests`: a meter with the dimension `http.request.method`
///
/// A request is active until its response body has been read, has failed, or was dropped. A dropped body has the error
/// type `Swift.CancellationError`.
///
/// A dimension that does not apply is empty, because some backends require the same dimensions each time. No dimension
/// contains values from a URL, so the number of combinations is bounded by the messages, methods, and statuses.
package struct MeasuringHTTPClient: HTTPClientDecorator {
    package let base: any HTTPClient

    let factory: (any MetricsFactory)?
    let clock: any Clock<Duration>

    package var summary: String { "metrics" }

    /// Sends the request and measures it.
    ///
    /// - Throws: The error of `base`, which the metrics record.
    package func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let factory = factory ?? MetricsSystem.factory
        let traits = RequestTraits(request)
        let active = Meter(
            label: "http.client.active_requests",
            dimensions: [("http.request.method", traits.method)],
            factory: factory
        )
        active.increment()
        let elapsed = clock.stopwatch()
        let end = { @Sendable (status: Int?, failure: (any Error)?) in
            active.decrement()
            let refusal = status.flatMap { $0 >= 400 ? "\($0)" : nil }
            let dimensions = [
                ("http.request.method", traits.method), ("http.response.status_code", status.map { "\($0)" } ?? ""),
                ("error.type", failure.map { errorType(of: $0) } ?? refusal ?? ""),
                ("duet.message", traits.messageName ?? ""),
            ]
            durations("http.client.request.duration", dimensions, factory).record(duration: elapsed())
        }
        do {
            let (response, received) = try await base.send(request, body: body)
            return (response, received.ending { _, error in end(response.status.code, error) })
        } catch {
            end(nil, error)
            throw error
        }
    }
}

extension HTTPClient {
    /// Returns this client with metrics of each request; `factory` is nil for the factory of the process or task.
    public func measuring(
        _ factory: (any MetricsFactory)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> some HTTPClient {
        MeasuringHTTPClient(base: self, factory: factory, clock: clock)
    }
}

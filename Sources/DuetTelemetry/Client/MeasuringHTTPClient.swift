public import CoreMetrics
import Duet
public import DuetHTTP
public import HTTPTypes

/// Measures each request: how long it took, how it ended, and how many are under way.
///
/// - `http.client.request.duration`, a timer by `http.request.method`, `http.response.status_code`, `error.type` and
///   `duet.message`
/// - `http.client.active_requests`, a meter by `http.request.method`
///
/// A request is under way until its answer has been read, has failed or was dropped: the last is the error type
/// `Swift.CancellationError`.
/// What a dimension is not about is empty, because some backends want the same dimensions each time. None of them takes
/// values from a URL: their number is bounded by the messages, the methods and the statuses that there are.
public struct MeasuringHTTPClient: HTTPClientDecorator {
    /// The client that sends the requests.
    public let base: any HTTPClient

    private let factory: (any MetricsFactory)?
    private let clock: any Clock<Duration>

    /// Measures the requests of a client.
    ///
    /// - Parameters:
    ///   - base: Sends the requests.
    ///   - factory: Makes the metrics; nil for the one that the process or the task has.
    ///   - clock: What durations are measured by.
    public init(
        _ base: any HTTPClient,
        factory: (any MetricsFactory)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.base = base
        self.factory = factory
        self.clock = clock
    }

    /// What it adds.
    public var summary: String { "metrics" }

    /// Sends the request and measures it.
    ///
    /// - Throws: The errors of `base`, which the metrics record.
    public func send(
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
            record(elapsed(), as: "http.client.request.duration", dimensions, factory)
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
    /// This client with metrics of each request; `factory` is nil for the one that the process or the task has.
    public func measuring(
        _ factory: (any MetricsFactory)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> MeasuringHTTPClient {
        MeasuringHTTPClient(self, factory: factory, clock: clock)
    }
}

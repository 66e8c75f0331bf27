public import CoreMetrics
import Duet
public import DuetHTTP
public import Foundation
public import HTTPTypes

/// Measures each request: how long it took, how it ended, and how many are under way.
///
/// - `http.client.request.duration`, a timer by `http.request.method`, `http.response.status_code`, `error.type` and
///   `duet.message`
/// - `http.client.active_requests`, a meter by `http.request.method`
///
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
    /// - Throws: What `base` throws; the metrics tell of it.
    public func send(
        _ request: HTTPRequest,
        body: Data?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, Data) {
        let factory = factory ?? MetricsSystem.factory
        let traits = RequestTraits(request)
        let active = Meter(
            label: "http.client.active_requests",
            dimensions: [("http.request.method", traits.method)],
            factory: factory
        )
        active.increment()
        let elapsed = clock.stopwatch()
        var status = ""
        var error = ""
        defer {
            active.decrement()
            let dimensions = [
                ("http.request.method", traits.method), ("http.response.status_code", status), ("error.type", error),
                ("duet.message", traits.messageName ?? ""),
            ]
            record(elapsed(), as: "http.client.request.duration", dimensions, factory)
        }
        do {
            let (response, data) = try await base.send(request, body: body)
            status = "\(response.status.code)"
            if response.status.code >= 400 { error = status }
            return (response, data)
        } catch let failure {
            error = errorType(of: failure)
            throw failure
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

public import CoreMetrics
import Duet
import DuetHTTP
import HTTPTypes
public import Hummingbird
import Metrics
import Synchronization

/// Measures each request when its response has been made, under the names of Hummingbird's `MetricsMiddleware`.
///
/// Hummingbird's own middleware waits until a body has been written, for which it sends head, body and end separately.
/// This one leaves a response in one write.
///
/// ```swift
/// router.add(middleware: RequestMeasuringMiddleware())
/// ```
///
/// - `http.server.request.duration`: a timer that ends with the response, before its body is written. The duration of a
///   stream is the time until it begins.
/// - `http.server.active_requests`: a meter of requests without a response, and of streams until they end
/// - `hb.requests`: a counter, and `hb.request.errors`: a counter of those for which an error was thrown
///
/// The dimensions are `http.route`, the path with its placeholders; `http.request.method`, which is `_OTHER` for an
/// unknown one; and `http.response.status_code`, or for an error `error.type`, which is the same number.
public struct RequestMeasuringMiddleware<Context: RequestContext>: RouterMiddleware {
    private let metrics: RequestMetrics
    private let clock: any Clock<Duration>

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - factory: Creates the metrics; nil for the factory of the process or the current task.
    ///   - clock: Measures the durations.
    public init(_ factory: (any MetricsFactory)? = nil, clock: any Clock<Duration> = ContinuousClock()) {
        metrics = RequestMetrics(factory: factory ?? MetricsSystem.factory)
        self.clock = clock
    }

    /// Forwards the request, and records it.
    ///
    /// - Throws: The errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let elapsed = clock.stopwatch()
        let method = request.method.knownName
        let active = ActiveRequest(metrics.activeRequests(method))
        defer { withExtendedLifetime(active) {} }
        func record(_ status: HTTPResponse.Status, route: String, isError: Bool = false) {
            let kind = RequestMetrics.Kind(route: route, method: method, status: status.code, isError: isError)
            metrics.record(elapsed(), of: kind)
        }
        do {
            var response = try await next(request, context)
            record(response.status, route: context.endpointPath ?? "Unknown")
            if response.body.contentLength == nil {
                response.body = ResponseBody { [body = response.body] writer in
                    try await body.write(writer)
                    withExtendedLifetime(active) {}
                }
            }
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            record(status, route: context.endpointPath ?? "NotFound", isError: true)
            throw error
        }
    }
}

/// The metrics of requests, made once for each kind.
private final class RequestMetrics: Sendable {
    struct Kind: Hashable {
        let route: String
        let method: String
        let status: Int
        let isError: Bool
    }

    private struct State {
        var activeRequests: [String: Meter] = [:]
        var outcomes: [Kind: (requests: Counter, durations: Timer, errors: Counter?)] = [:]
    }

    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func activeRequests(_ method: String) -> Meter {
        state.withLock { state in
            if let meter = state.activeRequests[method] { return meter }
            let dimensions = [("http.request.method", method)]
            let meter = Meter(label: "http.server.active_requests", dimensions: dimensions, factory: factory)
            state.activeRequests[method] = meter
            return meter
        }
    }

    func record(_ duration: Duration, of kind: Kind) {
        let metrics = state.withLock { state in
            if let metrics = state.outcomes[kind] { return metrics }
            let route = [("http.route", kind.route), ("http.request.method", kind.method)]
            let outcome = route + [("http.response.status_code", "\(kind.status)")]
            let metrics = (
                requests: Counter(label: "hb.requests", dimensions: outcome, factory: factory),
                durations: Timer(label: "http.server.request.duration", dimensions: outcome, factory: factory),
                errors: kind.isError
                    ? Counter(
                        label: "hb.request.errors",
                        dimensions: route + [("error.type", "\(kind.status)")],
                        factory: factory
                    ) : nil
            )
            state.outcomes[kind] = metrics
            return metrics
        }
        metrics.requests.increment()
        metrics.durations.record(duration: duration)
        metrics.errors?.increment()
    }
}

/// Counts as active until it is released.
private final class ActiveRequest: Sendable {
    private let meter: Meter

    init(_ meter: Meter) {
        self.meter = meter
        meter.increment()
    }

    deinit {
        meter.decrement()
    }
}

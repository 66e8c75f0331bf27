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
/// - `http.server.active_requests`: a meter of requests without a response, and of bodies of unknown length, such as
///   events, until they end
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
    ///   - factory: Creates the metrics; nil for the factory that the process or the current task has now.
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
        func record(_ status: HTTPResponse.Status, route: String) -> RequestMetrics.Outcome {
            let outcome = metrics.outcome(RequestMetrics.Kind(route: route, method: method, status: status.code))
            outcome.requests.increment()
            outcome.durations.record(duration: elapsed())
            return outcome
        }
        do {
            var response = try await next(request, context)
            _ = record(response.status, route: context.endpointPath ?? "Unknown")
            if response.body.contentLength == nil {
                response.body = ResponseBody { [body = response.body] writer in
                    try await body.write(writer)
                    withExtendedLifetime(active) {}
                }
            }
            return response
        } catch {
            record(
                (error as? any HTTPResponseError)?.status ?? .internalServerError,
                route: context.endpointPath ?? "NotFound"
            ).errors.increment()
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
    }

    typealias Outcome = (requests: Counter, durations: Timer, errors: Counter)

    private let factory: any MetricsFactory
    private let state = Mutex<(activeRequests: [String: Meter], outcomes: [Kind: Outcome])>(([:], [:]))

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

    func outcome(_ kind: Kind) -> Outcome {
        state.withLock { state in
            if let outcome = state.outcomes[kind] { return outcome }
            let route = [("http.route", kind.route), ("http.request.method", kind.method)]
            let status = "\(kind.status)"
            let dimensions = route + [("http.response.status_code", status)]
            let outcome = (
                requests: Counter(label: "hb.requests", dimensions: dimensions, factory: factory),
                durations: Timer(
                    label: "http.server.request.duration",
                    dimensions: dimensions,
                    preferredDisplayUnit: .seconds,
                    factory: factory
                ),
                errors: Counter(
                    label: "hb.request.errors",
                    dimensions: route + [("error.type", status)],
                    factory: factory
                )
            )
            state.outcomes[kind] = outcome
            return outcome
        }
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

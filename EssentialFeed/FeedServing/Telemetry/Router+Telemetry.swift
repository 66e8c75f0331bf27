import CoreMetrics
import DuetHummingbird
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore

extension Router<ScopedRequestContext> {
    /// Measures and logs the requests of the routes that are added later.
    ///
    /// It comes before all other middleware, so that metrics cover their responses. Set up the metrics of the process
    /// before: without them, nothing is measured.
    package func addTelemetry() {
        if !(MetricsSystem.factory is NOOPMetricsHandler) { add(middleware: RequestMeasuringMiddleware()) }
        add(middleware: RequestLoggingMiddleware(.debug))
    }

    /// Adds `GET /metrics`: the metrics of the process in the text format of Prometheus, if the process collects them.
    ///
    /// - Parameters:
    ///   - isExposed: Whether everyone who can reach the server may read the metrics. Otherwise they are for requests
    ///     from this machine.
    ///   - isForwarded: Whether a server on this machine forwards requests of others, which look like requests
    ///     from this machine. Unless the metrics are exposed, nobody can then read them.
    package func addMetrics(isExposed: Bool, isForwarded: Bool) {
        guard isExposed || !isForwarded else { return }
        let group = group("metrics")
        if !isExposed { group.add(middleware: LocalRequests()) }
        group.get { _, _ in
            guard let metrics = MetricsSystem.factory as? PrometheusMetrics else { throw HTTPError(.notFound) }
            return Response(
                status: .ok,
                headers: [.contentType: PrometheusMetrics.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text))
            )
        }
    }
}

/// Accepts requests from this machine to a local name of this machine.
///
/// Others get 404, as if the path did not exist, or 421 for another host name.
package struct LocalRequests: RouterMiddleware {
    /// Fields that servers add to the requests of others that they forward, besides those of `X-Forwarded-`.
    private static let forwardingFields: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip",
        "fastly-client-ip", "x-original-forwarded-for", "x-envoy-external-address",
    ]

    private let hosts = HostMiddleware<ScopedRequestContext>(.listening(on: "127.0.0.1"))

    package init() {}

    package func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: NextResponder
    ) async throws -> Response {
        let fields = request.headers.lazy.map(\.name.canonicalName)
        guard context.clientAddress?.isLoopbackAddress == true,
            !fields.contains(where: { Self.forwardingFields.contains($0) || $0.hasPrefix("x-forwarded-") })
        else { throw HTTPError(.notFound) }
        return try await hosts.handle(request, context: context, next: next)
    }
}

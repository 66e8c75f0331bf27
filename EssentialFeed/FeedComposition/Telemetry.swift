import CoreMetrics
import FeedServing
import Foundation
import Tracing

/// The metrics of a process that runs servers, and the ids of its requests.
public enum Telemetry {
    /// Collects metrics for the servers' `/metrics`, and gives requests the ids of their traces.
    ///
    /// Call it once in the process, before any message is dispatched.
    ///
    /// - Parameters:
    ///   - environment: Provides the time of the start and the randomness of the ids.
    ///   - version: The version of the program.
    public static func bootstrap(in environment: Environment, version: String) {
        MetricsSystem.bootstrap(PrometheusMetrics())
        // As all client libraries of Prometheus name them.
        Gauge(label: "feed_build_info", dimensions: [("version", version)]).record(1)
        Gauge(label: "process_start_time_seconds").record(environment.now().timeIntervalSince1970)
        InstrumentationSystem.bootstrap(RequestTracer(generator: environment.generator))
    }
}

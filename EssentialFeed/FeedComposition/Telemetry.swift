import CoreMetrics
import FeedServing
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
        let process = ProcessMetrics(version: version, startedAt: environment.now())
        MetricsSystem.bootstrap(PrometheusMetrics(process: process))
        InstrumentationSystem.bootstrap(RequestTracer(generator: environment.generator))
    }
}

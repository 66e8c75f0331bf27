import ArgumentParser
import FeedComposition
import Foundation

/// The records of a server's work.
struct TelemetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append the finished spans of each request to a file, each as one line of JSON.",
            valueName: "file"
        ),
        completion: .file(),
        transform: filePath
    )
    var trace: String?

    /// Begins to collect metrics, and to identify requests in the log.
    ///
    /// - Throws: `UnwritableTrace`.
    func start(in environment: FeedComposition.Environment) throws {
        let version = Feed.configuration.version
        try Telemetry.bootstrap(in: environment, version: version, trace: trace.map { URL(filePath: $0) })
    }
}

/// The readers of a server's metrics.
struct MetricsOptions: ParsableArguments {
    @Flag(help: "Let everyone who can reach the server read /metrics. (default: only this machine)")
    var publicMetrics = false
}

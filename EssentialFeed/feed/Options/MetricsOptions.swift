import ArgumentParser

/// The readers of a server's metrics.
struct MetricsOptions: ParsableArguments {
    @Flag(help: "Let everyone who can reach the server read /metrics. (default: only this machine)")
    var publicMetrics = false
}

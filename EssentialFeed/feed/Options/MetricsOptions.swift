import ArgumentParser

struct MetricsOptions: ParsableArguments {
    @Flag(help: "Let everyone who can reach the server read /metrics. (default: only this machine)")
    var publicMetrics = false
}

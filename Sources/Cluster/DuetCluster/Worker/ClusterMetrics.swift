public import CoreMetrics
public import DuetClusterEngine

extension CommandLog {
    /// Reports the state of the log until the task is canceled.
    ///
    /// - `duet.cluster.commands`: a gauge with the dimension `duet.cluster.state`, which is `waiting` (the lag of the
    ///   workers), `running`, `redelivered` or `dead`
    /// - `duet.cluster.reachable`: a gauge that is 1 if the state is known, and 0 if the cluster cannot be reached
    ///
    /// All nodes of a cluster report the same numbers.
    ///
    /// - Parameters:
    ///   - factory: Creates the metrics; nil for the factory of the process or task.
    ///   - interval: The time between two reports.
    ///   - clock: Measures the interval.
    public func reportMetrics(
        to factory: (any MetricsFactory)? = nil,
        every interval: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock()
    ) async {
        let factory = factory ?? MetricsSystem.factory
        let commands = ["waiting", "running", "redelivered", "dead"].map { state in
            Gauge(label: "duet.cluster.commands", dimensions: [("duet.cluster.state", state)], factory: factory)
        }
        let reachable = Gauge(label: "duet.cluster.reachable", dimensions: [], factory: factory)
        while !Task.isCancelled {
            do {
                let now = try await statistics()
                let counts = [now.waiting, now.running, now.redelivered, now.deadLetters]
                for (gauge, count) in zip(commands, counts) { gauge.record(count) }
                reachable.record(1)
            } catch {
                reachable.record(0)
            }
            try? await clock.sleep(for: interval)
        }
    }
}

/// Counts the attempts of a worker that were not the only ones of their commands.
struct HandlingMetrics {
    private let factory = MetricsSystem.factory

    /// - Parameter message: The message that the worker lists; nil for another one, whose name may be anything.
    func count(_ delivery: Delivery, _ disposition: Disposition, of message: (any AnyRoute)?) {
        let name = message?.name ?? "unknown"
        if delivery.attempt + delivery.skipped > 1 { increment("duet.cluster.redeliveries", name) }
        switch disposition {
        case .done, .skipped: break
        case .retry: increment("duet.cluster.retries", name)
        case .dead: increment("duet.cluster.dead_letters", name)
        }
    }

    private func increment(_ label: String, _ message: String) {
        Counter(label: label, dimensions: [("duet.message", message)], factory: factory).increment()
    }
}

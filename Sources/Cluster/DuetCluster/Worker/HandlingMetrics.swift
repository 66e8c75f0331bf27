import CoreMetrics
import DuetClusterEngine
import Metrics

/// Counts the attempts of a worker that were not the only ones of their commands.
struct HandlingMetrics: Sendable {
    private let factory = MetricsSystem.factory

    /// - Parameter message: The message that the worker lists; nil for another one, whose name may be anything.
    func count(_ delivery: Delivery, _ disposition: Disposition, of message: (any AnyRoute)?) {
        let name = message?.name ?? "unknown"
        if delivery.attempt > 1 { increment("duet.cluster.redeliveries", name) }
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

import CoreMetrics
import Metrics

/// Counts the attempts of a worker that were not the only ones of their commands.
struct HandlingMetrics: Sendable {
    private let factory = MetricsSystem.factory

    func count(_ delivery: Delivery, _ disposition: Disposition) {
        if delivery.attempt > 1 { increment("duet.cluster.redeliveries", delivery) }
        switch disposition {
        case .done: break
        case .retry: increment("duet.cluster.retries", delivery)
        case .dead: increment("duet.cluster.dead_letters", delivery)
        }
    }

    private func increment(_ label: String, _ delivery: Delivery) {
        Counter(label: label, dimensions: [("duet.message", delivery.command.message)], factory: factory).increment()
    }
}

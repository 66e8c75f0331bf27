import Duet
import DuetClusterEngine

/// The commands of the cluster that carries the messages.
struct ClusterSection {
    /// The time after which the page is shown without the numbers.
    private static let limit = Duration.seconds(1)

    /// One line for each number, or the reason why there are none.
    let lines: [String]

    init(_ log: any CommandLog, clock: any Clock<Duration>) async {
        do {
            let statistics = try await withTimeout(Self.limit, clock: clock, error: Unreachable()) {
                try await log.statistics()
            }
            lines = [
                "Commands that wait for a worker: \(statistics.waiting)",
                "Running commands: \(statistics.running), of which delivered again: \(statistics.redelivered)",
                "Dead letters, which “feed cluster dead-letters” lists: \(statistics.deadLetters)",
            ]
        } catch {
            lines = ["\(error)"]
        }
    }

    private struct Unreachable: Error, CustomStringConvertible {
        let description = "The cluster cannot be reached."
    }
}

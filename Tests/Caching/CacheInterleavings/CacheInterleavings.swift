import DuetTesting
import Foundation

/// Checks the guarantees of the query cache, of its live values and of the queue in interleavings of tasks that seeds
/// determine.
@main
enum CacheInterleavings {
    private static let usage = """
        usage: CacheInterleavings COUNT [FIRST]

        Runs scenarios with COUNT seeds, by default from 0 on, and prints the steps of the first that goes wrong.
        Set SWIFT_DETERMINISTIC_HASHING=1, so that a seed always means the same.
        """

    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard let count = numbers.first.flatMap(\.self), numbers.count <= 2, !numbers.contains(nil) else {
            print(usage)
            exit(2)
        }
        RandomExecutor.shared.install()
        let first = numbers.dropFirst().first.flatMap(\.self) ?? 0
        for seed in first..<first + count {
            let report =
                try report(seed, Scenario(seed), pauses: 3) ?? report(seed, QueueScenario(seed), pauses: 6)
                ?? report(seed, LiveScenario(seed), pauses: 6)
            guard let report else { continue }
            print("Seed \(seed):\n\(report)")
            exit(1)
        }
        print("\(count) scenarios kept all guarantees.")
    }

    /// Returns the steps of a scenario that failed, or nil.
    private static func report(_ seed: UInt64, _ scenario: some Interleaving, pauses: Int) -> String? {
        var generator = SeededGenerator(seed: ~seed)
        var faults: [String] = []
        if !RandomExecutor.shared.run(&generator, { await scenario.run() }) { faults.append("a task waits forever") }
        for _ in 1...pauses { _ = RandomExecutor.shared.run(&generator) { scenario.passTime() } }
        if faults.isEmpty, !RandomExecutor.shared.run(&generator, { await scenario.check() }) {
            faults.append("the check waits forever")
        }
        faults += scenario.faults
        return faults.isEmpty ? nil : (scenario.steps + faults).joined(separator: "\n")
    }
}

/// Concurrent tasks, and the guarantees that must hold in each order of their steps.
protocol Interleaving: Sendable {
    /// The steps of the tasks, in order.
    var steps: [String] { get }
    /// The broken guarantees.
    var faults: [String] { get }

    func run() async

    /// Lets pauses end, after all tasks have ended or wait.
    func passTime()

    func check() async
}

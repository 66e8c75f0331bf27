import DuetTesting
import Foundation
import Synchronization

/// Checks the guarantees of the query cache, of its live and tracked values and of the queue, in interleavings of tasks
/// that seeds determine.
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
                ?? report(seed, LiveScenario(seed), pauses: 6) ?? report(seed, TrackedScenario(seed), pauses: 6)
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
        return faults.isEmpty ? nil : (scenario.log.steps + faults).joined(separator: "\n")
    }
}

/// Concurrent tasks, and the guarantees that must hold in each order of their steps.
protocol Interleaving: Sendable {
    var log: StepLog { get }
    /// The broken guarantees.
    var faults: [String] { get }

    func run() async

    /// Lets pauses end, after all tasks have ended or wait.
    func passTime()

    func check() async
}

extension Interleaving {
    /// Runs several tasks of a few steps each.
    func runTasks(
        _ count: Int,
        stepCount: @escaping @Sendable () -> Int,
        _ step: @escaping @Sendable (_ task: Int) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for task in 1...count {
                group.addTask { for _ in 0...stepCount() { await step(task) } }
            }
        }
    }

    var faults: [String] { log.faults }

    func note(_ step: String) { log.note(step) }

    func fault(_ fault: String) { log.fault(fault) }
}

/// The steps of the tasks in order, and the broken guarantees.
final class StepLog: Sendable {
    private let state = Mutex((steps: [String](), faults: [String]()))

    var steps: [String] { state.withLock(\.steps) }
    var faults: [String] { state.withLock(\.faults) }

    func note(_ step: String) { state.withLock { $0.steps.append(step) } }

    func fault(_ fault: String) {
        state.withLock { state in
            state.faults.append(fault)
            state.steps.append("FAULT: \(fault)")
        }
    }
}

import DuetTesting
import Foundation

/// Checks the guarantees of the query cache and of the queue in interleavings of tasks that seeds determine.
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
            guard let report = try report(seed) ?? queueReport(seed) else { continue }
            print("Seed \(seed):\n\(report)")
            exit(1)
        }
        print("\(count) scenarios kept all guarantees.")
    }

    /// Returns the steps of a scenario that failed, or nil.
    private static func report(_ seed: UInt64) throws -> String? {
        let scenario = try Scenario(seed)
        var generator = SeededGenerator(seed: ~seed)
        var faults: [String] = []
        if !RandomExecutor.shared.run(&generator, { await scenario.run() }) { faults.append("a task waits forever") }
        for _ in 1...3 { _ = RandomExecutor.shared.run(&generator) { scenario.passTime() } }
        if faults.isEmpty, !RandomExecutor.shared.run(&generator, { await scenario.check() }) {
            faults.append("the check waits forever")
        }
        faults += scenario.faults
        return faults.isEmpty ? nil : (scenario.steps + faults).joined(separator: "\n")
    }

    private static func queueReport(_ seed: UInt64) throws -> String? {
        let scenario = try QueueScenario(seed)
        var generator = SeededGenerator(seed: ~seed)
        var faults: [String] = []
        if !RandomExecutor.shared.run(&generator, { await scenario.run() }) { faults.append("a task waits forever") }
        for _ in 1...6 { _ = RandomExecutor.shared.run(&generator) { scenario.passTime() } }
        if faults.isEmpty, !RandomExecutor.shared.run(&generator, { await scenario.check() }) {
            faults.append("the check waits forever")
        }
        faults += scenario.faults
        return faults.isEmpty ? nil : (scenario.steps + faults).joined(separator: "\n")
    }
}

import Foundation
import Testing

/// A cache and a model that take the same steps.
///
/// A seed determines a run, and the issue of a failed run names it. `MODEL_SEED=7` repeats one run, and
/// `MODEL_RUNS=100000` makes more of them.
protocol ModelSimulation {
    /// The steps so far, in words.
    var steps: [String] { get }
    /// The first difference between the cache and the model.
    var difference: String? { get }

    init(_ seed: UInt64) async throws

    mutating func step() async throws

    /// Ends what is running, so that no task outlives the test.
    mutating func end() async
}

extension ModelSimulation {
    static func runAll() async throws {
        if let modelSeed { return try await run(modelSeed) }
        let runs = ProcessInfo.processInfo.environment["MODEL_RUNS"].flatMap { UInt64($0) } ?? 300
        for seed in 0..<runs { try await run(seed) }
    }

    private static func run(_ seed: UInt64) async throws {
        var simulation = try await Self(seed)
        for _ in 0..<40 {
            try await simulation.step()
            if let difference = simulation.difference {
                let steps = simulation.steps.joined(separator: ", ")
                Issue.record("MODEL_SEED=\(seed): \(difference) after: \(steps)")
                break
            }
        }
        await simulation.end()
    }
}

/// The seed of the only run; nil for all.
let modelSeed = ProcessInfo.processInfo.environment["MODEL_SEED"].flatMap { UInt64($0) }

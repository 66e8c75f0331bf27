import DuetTesting
import Foundation
import Testing

/// Runs tasks that use a cache at the same time, in an order of steps that a seed determines, in another process whose
/// executor makes that possible.
///
/// It prints the steps of a seed that goes wrong. `CacheInterleavings 1 7` repeats the seed 7, and `MODEL_RUNS=100000`
/// tries more.
@Suite
struct InterleavingTests {
    @Test(.timeLimit(.minutes(60)))
    func `the cache keeps its promises in each order of steps`() async throws {
        let process = Process()
        process.executableURL = builtExecutable("CacheInterleavings")
        process.arguments = [ProcessInfo.processInfo.environment["MODEL_RUNS"] ?? "500"]
        // A seed must mean the same in each process.
        process.environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        let output = Pipe()
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        // A report is shorter than what the pipe keeps.
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(status == 0, "\(text)")
        #expect(text.hasSuffix("kept all promises.\n"), "\(text)")
    }
}

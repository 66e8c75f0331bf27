import Foundation
import TestSupport
import Testing

/// Runs concurrent tasks that use a cache, in an order of steps that a seed determines.
///
/// They run in another process with a special executor, which prints the steps of a failed seed. `CacheInterleavings 1
/// 7` repeats the seed 7, and `MODEL_RUNS=100000` tries more seeds.
@Suite
struct InterleavingTests {
    @Test(.timeLimit(.minutes(60)))
    func `the cache keeps its guarantees in each order of steps`() async throws {
        let process = Process()
        process.executableURL = builtExecutable("CacheInterleavings")
        process.arguments = [ProcessInfo.processInfo.environment["MODEL_RUNS"] ?? "500"]
        // A seed must have the same effect in each process.
        process.environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        let output = Pipe()
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        // A report is shorter than the buffer of the pipe.
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(status == 0, "\(text)")
        #expect(text.hasSuffix("kept all guarantees.\n"), "\(text)")
    }
}

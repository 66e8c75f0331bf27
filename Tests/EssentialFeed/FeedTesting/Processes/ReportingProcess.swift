public import Foundation
import TestSupport

/// How many processes a fault test kills: `DUET_FAULT_ROUNDS`, or 8.
public let faultRounds = ProcessInfo.processInfo.environment["DUET_FAULT_ROUNDS"].flatMap { Int($0) } ?? 8

/// A helper program of the tests, running as a separate process.
///
/// It reports each step with one byte, for which a test waits.
public final class ReportingProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The bytes that the program has reported so far, as far as the test has waited for them.
    public private(set) var steps = Data()

    /// Starts an executable of this package.
    ///
    /// - Throws: The error of the start.
    public init(_ name: String, _ arguments: [String]) throws {
        process.executableURL = builtExecutable(name)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // Our copy of the writing end would keep the reading end from ever seeing the end of the output.
        try? output.fileHandleForWriting.close()
    }

    deinit {
        kill()
    }

    /// Waits until the program has reported this many steps; false when it ended first.
    ///
    /// - Throws: The error of the pipe.
    public func wait(forSteps count: Int) throws -> Bool {
        var missing = count
        while missing > 0 {
            guard let bytes = try output.fileHandleForReading.read(upToCount: missing), !bytes.isEmpty else {
                return false
            }
            steps += bytes
            missing -= bytes.count
        }
        return true
    }

    /// Kills the program immediately, and returns the number of further steps that it had reported.
    @discardableResult
    public func kill() -> Int {
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        guard let rest = try? output.fileHandleForReading.readToEnd() else { return 0 }
        steps += rest
        return rest.count
    }

    /// Ends the program's input and waits until it has ended by itself.
    ///
    /// - Throws: The error of the pipe.
    public func finish() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

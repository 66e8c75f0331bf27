import Foundation

/// A helper program of the tests, running as a process of its own.
///
/// It says what it has done with one byte each time, so that a test need not wait for anything else.
public final class ReportingProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

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

    /// Waits until the program has done this many things; false when it ended first.
    ///
    /// - Throws: The error of the pipe.
    public func wait(forSteps count: Int) throws -> Bool {
        var missing = count
        while missing > 0 {
            guard let bytes = try output.fileHandleForReading.read(upToCount: missing), !bytes.isEmpty else {
                return false
            }
            missing -= bytes.count
        }
        return true
    }

    /// Ends the program at once, wherever it is, and returns how many more steps it had said to have done.
    @discardableResult
    public func kill() -> Int {
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return (try? output.fileHandleForReading.readToEnd())??.count ?? 0
    }

    /// Ends the program's input and waits until it has ended by itself.
    ///
    /// - Throws: The error of the pipe.
    public func finish() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

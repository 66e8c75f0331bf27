public import Foundation

/// The helper program `FeedStoreWriter`, running as a process of its own.
///
/// It says what it has done with one byte each time, so that a test need not wait for anything else.
public final class FeedStoreWriterProcess {
    /// What the program does.
    public enum Task: String, Sendable {
        /// Saves one feed after the other; a byte for each one saved.
        case write
        /// Begins a transaction and stays in it until its input ends; a byte when it has begun.
        case hold
    }

    /// Which store it does it with.
    public enum Store: String, Sendable {
        /// `FileFeedStore`.
        case file
        /// `SQLiteFeedStore`.
        case sqlite
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the program.
    ///
    /// - Throws: The error of the start.
    public init(_ task: Task, _ store: Store, at url: URL) throws {
        process.executableURL = builtExecutable("FeedStoreWriter")
        process.arguments = [task.rawValue, store.rawValue, url.path]
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

import FeedTesting
import Foundation
import TestSupport
import Testing

/// The built program as a process with a separate home folder.
final class FeedProcess {
    /// The exit status and the output of a finished process.
    struct Result {
        let status: Int32
        let output: String
        let error: String
    }

    private let process = Process()
    private let output: URL
    private let error: URL

    /// Starts the program; its output goes to files in `home`, because a full pipe would block it.
    ///
    /// - Parameters:
    ///   - redirection: A shell's redirection of the output, such as `2>&-`.
    ///   - token: The value of the variable `FEED_TOKEN`.
    ///   - environment: Further variables.
    ///   - program: The program, if it is not the built one.
    init(
        _ arguments: [String],
        home: URL,
        redirection: String? = nil,
        token: String? = nil,
        environment: [String: String] = [:],
        program: URL? = nil
    ) throws {
        let program = try program ?? Self.executable()
        let name = arguments + [redirection ?? "", token ?? "", "\(environment.sorted(by: <))", program.path]
        let run = home.appending(path: "run-\(name.joined(separator: " ").hashValue.magnitude)")
        try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
        output = run.appending(path: "output")
        error = run.appending(path: "error")
        process.executableURL = program
        process.arguments = arguments
        // A path to the current folder must not lead to an important one.
        process.currentDirectoryURL = run
        if let redirection {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments =
                ["-c", "exec \"$0\" \"$@\" \(redirection)", program.path] + arguments
        }
        process.environment = Self.variables(home: home, token: token, environment)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.handle(writingTo: output)
        process.standardError = try Self.handle(writingTo: error)
        try process.run()
    }

    deinit {
        // A failed test must not leave a server behind.
        if process.isRunning { process.terminate() }
    }

    /// The variables of the program.
    static func variables(home: URL, token: String?, _ others: [String: String]) -> [String: String] {
        var variables = [
            "HOME": home.path,
            "XDG_CACHE_HOME": home.appending(path: "cache").path,
            "XDG_DATA_HOME": home.appending(path: "data").path,
        ]
        variables["FEED_TOKEN"] = token
        return variables.merging(others) { _, new in new }
    }

    /// Sends SIGINT, as Ctrl-C does.
    func interrupt() {
        process.interrupt()
    }

    /// Waits for the end without blocking a thread.
    func finish() async throws -> Result {
        while process.isRunning { try await pause() }
        return Result(
            status: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            error: try String(contentsOf: error, encoding: .utf8)
        )
    }

    /// Waits until the program has printed a line that begins with `label`, and returns the rest of the line.
    func printed(_ label: String) async throws -> String {
        while true {
            let isRunning = process.isRunning
            let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
            if let line = lines.first(where: { $0.hasPrefix(label) }) {
                return line.dropFirst(label.count).trimmingCharacters(in: .whitespaces)
            }
            let errors = try String(contentsOf: error, encoding: .utf8)
            try #require(isRunning, "ended early: \(errors)")
            try await pause()
        }
    }

    /// Waits until the program has printed a text.
    func hasPrinted(_ text: String) async throws {
        while true {
            let isRunning = process.isRunning
            if try String(contentsOf: output, encoding: .utf8).contains(text) { return }
            let errors = try String(contentsOf: error, encoding: .utf8)
            try #require(isRunning, "ended early: \(errors)")
            try await pause()
        }
    }

    /// Waits between two polls; the length does not affect the result, because both loops wait for an event.
    private func pause() async throws {
        try await ContinuousClock().sleep(for: .milliseconds(2))
    }

    private static func handle(writingTo url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    /// The location of the program, which is built beside the test bundle.
    private static func executable() throws -> URL {
        let url = builtExecutable("feed")
        try #require(FileManager.default.isExecutableFile(atPath: url.path), "\(url.path) has not been built")
        return url
    }
}

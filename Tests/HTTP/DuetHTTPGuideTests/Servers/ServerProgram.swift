import Foundation
import TestSupport

/// A third-party server, installed by `scripts/servers.sh`.
struct ServerProgram {
    /// Why the program cannot be used.
    enum Failure: Error, CustomStringConvertible {
        case missing(path: String)
        case ended(program: String, output: String)

        var description: String {
            switch self {
            case .missing(let path):
                "\(path) is not installed. Run the tests with `make test`, which installs it, or run scripts/servers.sh once."
            case .ended(let program, let output):
                "\(program) ended before it was ready. It printed: \(output)"
            }
        }
    }

    private let name: String
    private let executable: URL
    private let home: URL

    /// - Parameter home: The only folder that the program knows.
    init(_ name: String, home: URL) throws {
        self.name = name
        self.home = home
        executable = projectFile(".build/servers/bin/\(name)")
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw Failure.missing(path: executable.path)
        }
    }

    /// Starts the program, runs `operation` with the first line that contains `sign`, and ends the program.
    func run<Value>(
        _ arguments: [String],
        until sign: String,
        then operation: (_ line: String) async throws -> Value
    ) async throws -> Value {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = home
        process.environment = ["HOME": home.path]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let (chunks, printed) = AsyncStream.makeStream(of: Data.self)
        // Keeps reading as long as the program runs, because a full pipe would block it.
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard data.isEmpty else { return _ = printed.yield(data) }
            handle.readabilityHandler = nil
            printed.finish()
        }
        let (end, ended) = AsyncStream.makeStream(of: Never.self)
        process.terminationHandler = { _ in ended.finish() }
        try process.run()
        try? output.fileHandleForWriting.close()

        let result: Result<Value, any Error>
        do {
            result = .success(try await operation(line(with: sign, in: chunks)))
        } catch {
            result = .failure(error)
        }
        if process.isRunning { process.interrupt() }
        for await _ in end {}
        return try result.get()
    }

    private func line(with sign: String, in chunks: AsyncStream<Data>) async throws -> String {
        var output = Data()
        for await chunk in chunks {
            output.append(chunk)
            // Only complete lines; the rest may not have arrived yet.
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.dropLast().first(where: { $0.contains(sign) }) { return String(line) }
        }
        throw Failure.ended(program: name, output: String(decoding: output, as: UTF8.self))
    }
}

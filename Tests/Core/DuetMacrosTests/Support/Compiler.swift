import FeedTesting
import Foundation
import TestSupport

/// Runs the real compiler with the modules and macros that were built for the tests.
struct Compiler {
    /// A failure of the compiler itself.
    enum Failure: Error {
        case tookTooLong
        case crashed(output: String)
    }

    /// Additional compiler options.
    var options: [String] = []

    /// Compiles sources up to the checks of isolation, and returns the diagnostics.
    ///
    /// - Throws: ``Failure``, or an error of writing the files or launching the compiler.
    func diagnostics(of sources: [URL]) throws -> [CompilerDiagnostic] {
        let folder = try TemporaryDirectory()
        let output = folder.appending("output.txt")
        try Data().write(to: output)
        let file = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = projectFile("")
        // Region isolation is checked only during code generation, and whole-module mode reports each warning once.
        process.arguments =
            [
                "swiftc", "-emit-sil", "-o", folder.path("output.sil"), "-wmo", "-parse-as-library",
                "-swift-version", "6", "-module-name", "Sample", "-package-name", "sample",
                "-enable-upcoming-feature", "ExistentialAny", "-diagnostic-style", "llvm",
                "-load-plugin-executable", "\(builtExecutable("DuetMacrosPlugin-tool").path)#DuetMacrosPlugin",
            ] + options + ["-I", builtExecutable("Modules").path] + sources.map(\.path)
        process.standardOutput = file
        process.standardError = file
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        guard ended.wait(timeout: .now() + 120) == .success else {
            process.terminate()
            throw Failure.tookTooLong
        }
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        let diagnostics = text.split(separator: "\n").compactMap { CompilerDiagnostic(String($0)) }
        // A failure without a parsable error must not be mistaken for success.
        let hasError = diagnostics.contains { $0.severity == .error }
        guard hasError == (process.terminationStatus != 0) else { throw Failure.crashed(output: text) }
        return diagnostics
    }

    /// Compiles a single short source.
    ///
    /// - Throws: ``Failure``, or an error of writing the files or launching the compiler.
    func diagnostics(of source: String) throws -> [CompilerDiagnostic] {
        let folder = try TemporaryDirectory()
        let file = folder.appending("Sample.swift")
        try Data(source.utf8).write(to: file)
        return try diagnostics(of: [file])
    }
}

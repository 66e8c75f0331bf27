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
        // Region isolation is checked only during code generation, and whole-module mode reports each warning once.
        let (text, status) = try run(["-emit-sil", "-o", folder.path("output.sil"), "-wmo"], on: sources)
        let diagnostics = text.split(separator: "\n").compactMap { CompilerDiagnostic(String($0)) }
        // A failure without a parsable error must not be mistaken for success.
        let hasError = diagnostics.contains { $0.severity == .error }
        guard hasError == (status != 0) else { throw Failure.crashed(output: text) }
        return diagnostics
    }

    /// Compiles a single short source.
    ///
    /// - Throws: ``Failure``, or an error of writing the files or launching the compiler.
    func diagnostics(of source: String) throws -> [CompilerDiagnostic] {
        try withFile(of: source) { try diagnostics(of: [$0]) }
    }

    /// Type-checks a single source, and returns what each macro in it writes, by the names that the compiler gives it.
    ///
    /// - Throws: ``Failure``, also if there is a diagnostic, or an error of writing the file or launching the compiler.
    func expansions(of source: String) throws -> [(name: String, text: String)] {
        let (text, status) = try withFile(of: source) {
            try run(["-typecheck", "-Xfrontend", "-dump-macro-expansions"], on: [$0])
        }
        let parts = text.components(separatedBy: "------------------------------\n")
        let expansions = stride(from: 0, to: parts.count - 1, by: 2).map { (name: parts[$0], text: parts[$0 + 1]) }
        guard status == 0, !expansions.isEmpty, expansions.allSatisfy({ $0.name.hasPrefix("@__swiftmacro_") }) else {
            throw Failure.crashed(output: text)
        }
        return expansions
    }

    private func run(_ mode: [String], on sources: [URL]) throws -> (output: String, status: Int32) {
        let folder = try TemporaryDirectory()
        let output = folder.appending("output.txt")
        try Data().write(to: output)
        let file = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = projectFile("")
        process.arguments =
            ["swiftc"] + mode + [
                "-parse-as-library", "-swift-version", "6", "-module-name", "Sample", "-package-name", "sample",
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
        return (String(decoding: try Data(contentsOf: output), as: UTF8.self), process.terminationStatus)
    }

    private func withFile<Result>(of source: String, _ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryDirectory()
        let file = folder.appending("Sample.swift")
        try Data(source.utf8).write(to: file)
        return try body(file)
    }
}

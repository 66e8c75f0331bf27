import FeedTesting
import Foundation

/// Runs the real compiler, with the modules and the macros that were built beside the tests.
struct Compiler {
    /// What went wrong with the compiler itself.
    enum Failure: Error {
        case tookTooLong
        case crashed(output: String)
    }

    /// Options beside those that every run has.
    var options: [String] = []

    /// Compiles sources, as far as what the compiler knows about isolation, and returns what it says.
    ///
    /// - Throws: ``Failure``, or the error of the files or of the start.
    func diagnostics(of sources: [URL]) throws -> [CompilerDiagnostic] {
        let folder = try TemporaryDirectory()
        let output = folder.appending("output.txt")
        try Data().write(to: output)
        let file = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Region isolation is checked only where code is made; warnings of whole modules come once.
        process.arguments =
            [
                "swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-parse-as-library", "-swift-version", "6",
                "-module-name", "Sample", "-package-name", "sample", "-enable-upcoming-feature", "ExistentialAny",
                "-diagnostic-style", "llvm", "-I", builtExecutable("Modules").path, "-load-plugin-executable",
                "\(builtExecutable("DuetMacrosPlugin-tool").path)#DuetMacrosPlugin",
            ] + options + sources.map(\.path)
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
        // A failure without an error that can be read must not pass for a source without faults.
        let hasError = diagnostics.contains { $0.severity == .error }
        guard hasError == (process.terminationStatus != 0) else { throw Failure.crashed(output: text) }
        return diagnostics
    }

    /// Compiles one source of a few lines.
    ///
    /// - Throws: ``Failure``, or the error of the files or of the start.
    func diagnostics(of source: String) throws -> [CompilerDiagnostic] {
        let folder = try TemporaryDirectory()
        let file = folder.appending("Sample.swift")
        try Data(source.utf8).write(to: file)
        return try diagnostics(of: [file])
    }
}

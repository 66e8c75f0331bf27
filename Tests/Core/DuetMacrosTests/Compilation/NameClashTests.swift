import Foundation
import TestSupport
import Testing

/// The guide "Name clashes" has the compiler's own text for each name that another module or the app's own declares.
///
/// The declarations of other modules are stand-ins, without code, in the folder `NameClashStandIns`.
@Suite(.serialized)
struct NameClashTests {
    private let compiler: Compiler

    init() throws {
        compiler = Compiler(options: try Self.options())
    }

    @Test(arguments: try NameClash.all())
    func `each line of the guide reads as the compiler's text, and its correction compiles`(
        _ clash: NameClash
    ) throws {
        if let error = clash.error {
            let diagnostics = try compiler.diagnostics(of: clash.source(clash.code))
            #expect(diagnostics.contains { $0.severity == .error && $0.message == error }, "\(diagnostics)")
        }

        let diagnostics = try compiler.diagnostics(of: clash.source(clash.correction))

        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test(arguments: ["Cache", "Command", "Container", "Example", "Gate", "Override", "Place", "Query", "Scope"])
    func `the guide has each name, as another module's and as the app's own`(_ name: String) throws {
        let clashes = try NameClash.all().filter { $0.error != nil && $0.code.contains(name) }

        #expect(clashes.contains { $0.other.hasPrefix("import") })
        #expect(clashes.contains { $0.other.hasSuffix(" \(name) {}") })
    }

    @Test func `a file that imports SwiftData without SwiftUI needs no correction`() throws {
        let source = """
            import Duet
            import SwiftData
            struct ListNotes: Query { typealias Value = [String] }
            """

        let diagnostics = try compiler.diagnostics(of: source)

        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    /// Finds the stand-ins, and the C modules that DuetTesting's modules import.
    private static func options() throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", #"source scripts/includes.sh; printf '%s\n' "${includes[@]}""#]
        process.currentDirectoryURL = projectFile("")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let includes = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return [
            "-module-name", "App", "-Xfrontend", "-enable-cross-import-overlays",
            "-I", projectFile("Tests/Core/NameClashStandIns").path, "-I", projectFile("Tests/App/SwiftUIStandIn").path,
        ] + includes.split(separator: "\n").map(String.init)
    }
}

import Foundation
import Testing

/// The declarations in the folder `Shapes` compile without a warning, whatever the module's options are.
///
/// With this package's options, they are compiled as part of these tests.
@Suite(.serialized)
struct ShapeTests {
    @Test(arguments: [
        [],
        ["-default-isolation", "MainActor"],
        [
            "-default-isolation", "MainActor", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
            "-enable-upcoming-feature", "InferIsolatedConformances", "-enable-upcoming-feature",
            "MemberImportVisibility",
        ],
    ])
    func `every shape compiles without diagnostics`(_ options: [String]) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(component: "Shapes")
        let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        #expect(sources.count == 5)

        let diagnostics = try Compiler(options: options).diagnostics(of: sources)

        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }
}

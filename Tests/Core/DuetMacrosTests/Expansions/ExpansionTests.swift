import Foundation
import TestSupport
import Testing

/// The code of the macros, as the compiler prints it.
@Suite(.serialized)
struct ExpansionTests {
    private static let expansions = Result {
        let options = ["-I", projectFile("Tests/App/SwiftUIStandIn").path]
        let samples = Expansion.all.map(\.source)
        return try Compiler(options: options).expansions(of: ([declarations] + samples).joined(separator: "\n"))
    }

    @Test(arguments: Expansion.all)
    func `a macro writes the expected code`(_ expansion: Expansion) throws {
        // The compiler's name ends with the kind of the code: "Mm" for members, "Me" for an extension.
        let written = try Self.expansions.get().filter { $0.name.contains("\(expansion.type.count)\(expansion.type)") }
        let ordered = written.filter { $0.name.contains("Mm_") } + written.filter { $0.name.contains("Me_") }

        let text = ordered.map(\.text).filter { $0 != "\n" }.joined(separator: "\n")

        #expect(text == expansion.expanded + "\n")
    }

    /// Declarations that the samples refer to.
    private static let declarations = """
        import DuetMacros
        import SwiftUI
        public protocol Api {}
        public struct Post: Command {}
        public struct Load: Query { public typealias Value = String }
        public struct LoadHandler: QueryHandler, Sendable {
            public func handle(_ query: Load) async throws -> String { "" }
        }
        @globalActor actor StorageActor { static let shared = StorageActor() }
        extension DependencyName { static var replica: DependencyName { "replica" } }
        extension EnvironmentValues { var scope: Scope? { nil } }
        """
}

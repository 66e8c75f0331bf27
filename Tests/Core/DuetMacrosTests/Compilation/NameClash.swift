import Foundation
import TestSupport
import Testing

/// A line of the guide "Name clashes": code, the compiler's text, and the corrected code.
struct NameClash: CustomTestStringConvertible {
    /// The imports of other modules, or the declarations of the file's own module.
    let other: String
    let code: String
    /// The diagnostic, or nil if the code compiles.
    let error: String?
    let correction: String

    var testDescription: String { "\(code) beside \(other)" }

    /// A file with the code, which is a part of a declaration.
    func source(_ code: String) -> String {
        """
        import Duet
        import DuetCaching
        import DuetContext
        import DuetHTTP
        import DuetMacros
        import DuetTesting
        \(other)
        struct LoadNote: Duet.Query, Hashable, Codable { typealias Value = String }
        \((Self.frames[self.code] ?? "…").replacing("…", with: code))
        """
    }

    /// Reads the rows of the guide's tables and lists.
    static func all() throws -> [NameClash] {
        let guide = try String(contentsOf: projectFile("Documentation/Guides.docc/NameClashes.md"), encoding: .utf8)
        return guide.components(separatedBy: "\n## ").flatMap { section in
            section.components(separatedBy: "\n").compactMap { line in
                guard line.hasPrefix("| `") || line.hasPrefix("- `"), let other = others[section.prefix { $0 != "\n" }]
                else { return nil }
                var cells = line.matches(of: /`([^`]+)`/).map { String($0.1) }
                guard line.hasPrefix("|") else {
                    return NameClash(other: other, code: cells[0], error: nil, correction: cells[0])
                }
                let declaration = cells.count == 4 ? cells.removeFirst() : other
                return NameClash(other: declaration, code: cells[0], error: cells[1], correction: cells[2])
            }
        }
    }

    /// The other declarations, by the title of the guide's section.
    private static let others: [Substring: String] = [
        "SwiftData": "import SwiftData; import SwiftUI",
        "swift-dependencies": "import Dependencies",
        "Another module": "import AnotherModule",
        "Your own module": "struct Query {}; protocol Command {}; struct Scope {}; struct Dependency {}",
    ]

    /// The declarations around the code, with `…` in its place.
    private static let frames = [
        "struct ListNotes: Query": """
        … { typealias Value = [String] }
        func list(with dispatcher: any Dispatcher) async throws -> [String] {
            try await dispatcher.dispatch(ListNotes())
        }
        """,
        "struct ListNotes: HTTPQuery": """
        … { typealias Value = [String]; static let route: QueryRoute<Self> = .get("notes") }
        """,
        "import protocol Duet.Query": "…; \(uses)",
        "typealias Query = Duet.Query": "…; \(uses)",
        "func show(_ query: some Query<[String]>)": "… {}",
        "let items: Query<Item, [Item]>":
            "final class Item: PersistentModel {}; @MainActor struct ItemsView { … }",
        "@Query": "struct ItemsView { … static var items: [Int] = [] }",
        #"@Dependency(\.number)"#:
            "struct ListNotesHandler { … var number }; @Resolvable struct AddNoteHandler { let number: Int }",
        "struct AddNote: Command": """
        … { let text: String }
        func addMilk(with dispatcher: any Dispatcher) async throws {
            try await dispatcher.dispatch(AddNote(text: "Milk"))
        }
        struct AddNoteHandler: CommandHandler { func handle(_ command: AddNote) async throws {} }
        """,
        "func serve(in scope: Scope)": "… {}",
        "container.withScope { (scope: Scope) in }":
            "func serve(with container: Container) async throws { try await … }",
        "let container: Container": "struct Server { … }",
        "func makeContainer() throws -> Container": "… { try ContainerBuilder().build() }",
        "let overrides: [Override]": "struct Server { … }",
        #"Override(String.self) { "Milk" }"#: """
        func makeTestContainer(from container: DuetDependencies.Container) throws -> DuetDependencies.Container {
                try container.overriding(…)
            }
        """,
        "let rule: Cache<LoadNote>": "struct Rules { … }",
        "Cache(LoadNote.self, .maxAge(.minutes(5)))": """
        func makeCache() throws -> QueryCache { try QueryCache(in: .memory(limit: .entries(10))) { … } }
        """,
        "import struct DuetCaching.Cache": "…; struct Rules { let rule: Cache<LoadNote> }",
        "typealias Cache = DuetCaching.Cache": "…; struct Rules { let rule: Cache<LoadNote> }",
        "let examples: [Example]": "struct Examples { … }",
        #"Example(LoadNote(), returns: "Milk")"#: """
        let suite = MessageSuite(MessageAPI("notes") { LoadNote.authorized(.open) }) { … }
        """,
        "let places: [Place]": "struct Examples { … }",
        "let places: [Place] = [.cluster()]": "struct Examples { … }",
        "let gate = Gate()": "func open() { …; gate.open() }",
        "@Resolvable": "… struct AddNoteHandler { let scope: Scope; let query: Query; let dependency: Dependency }",
        "@Dispatcher": """
        … struct AppDispatcher { let loadNote: LoadNoteHandler }
        struct LoadNoteHandler: QueryHandler {
            func handle(_ query: LoadNote) async throws -> String { "Milk" }
        }
        """,
    ]

    private static let uses = """
        struct ListNotes: Query { typealias Value = [String] }
        func show(_ query: any Query<[String]>) {}
        """
}

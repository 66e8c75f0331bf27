import Foundation
import TestSupport
import Testing

/// Each misuse of a macro is an error on the line where it is written.
@Suite(.serialized)
struct MisuseCompilationTests {
    @Test func `each misuse is an error on its own line, and nothing else is`() throws {
        // Each line with an error ends with the text of that error.
        let source = """
            import DuetMacros
            @Dispatcher class NoStruct {} // @Dispatcher needs a struct whose stored properties are handlers
            @Dispatcher actor NoActor {} // not an actor
            @Dispatcher struct NoHandlers { // 'NoHandlers' has no stored properties; give it one for each handler
                static let shared = PingHandler()
                var computed: PingHandler { PingHandler() }
            }
            @Dispatcher struct Undeclared {
                let untyped = PingHandler() // @Dispatcher needs the name and the type of each stored property
                let (first, second): (PingHandler, PingHandler) // declare each separately, and write its type
            }
            @Dispatcher struct ConditionalHandlers {
                let ping: PingHandler
                #if !DEBUG // @Dispatcher cannot evaluate '#if'; move stored properties and initializers out of it
                let other: PingHandler
                #endif
            }
            @Resolvable enum Kind { case first } // @Resolvable needs a struct, class or actor, not an enum
            @Resolvable protocol Api {} // not a protocol
            @Resolvable extension Ping {} // 'extension' macro cannot be attached to extension
            @Resolvable struct ConditionalMembers {
                #if os(Linux)
                func path() {}
                #endif
                #if DEBUG // @Resolvable cannot evaluate '#if'; move stored properties and initializers out of it
                #else
                #if os(Linux)
                var logger: Int?
                #endif
                #endif
            }
            @Resolvable struct ConditionalInitializer {
                #if !DEBUG // @Resolvable cannot evaluate '#if'
                init() {}
                #endif
            }
            @Resolvable struct Several { // 'Several' has several initializers; mark exactly one of them with @Inject
                init(number: Int) {}
                init(text: String) {}
            }
            @Resolvable struct Twice { // 'Twice' has several initializers; mark exactly one of them with @Inject
                @Inject init(number: Int) {}
                @Inject init(text: String) {}
            }
            @Resolvable struct Parameters {
                init(
                    texts: String..., // a variadic parameter or a pack cannot be resolved; take an array
                    number: Int
                ) {}
            }
            @Resolvable struct Packs<each Part> {
                init(parts: repeat each Part) {} // a variadic parameter or a pack cannot be resolved
            }
            @Resolvable struct Failable {
                init?(number: Int) { nil } // @Resolvable cannot use an initializer that may return nil; throw an error
            }
            @Resolvable struct Trapping {
                @Inject init!(number: Int) { nil } // an initializer that may return nil
            }
            @Resolvable struct Undeclared2 {
                var (first, second): (Int?, Int?) // @Resolvable needs the name and the type of each stored property
                let third // type annotation missing in pattern
            }
            @propertyWrapper struct Lookup<Value> { var wrappedValue: Value }
            @Resolvable struct Wrapped {
                @Lookup var api: Int // @Resolvable cannot set 'api' because of '@Lookup'; give the property a default
                @Lookup var limit = 5
            }
            @Resolvable struct ByHand {
                init(from scope: Scope) async throws {} // init(from:) is hand-written, so its dependencies must be, too
            }
            @Resolvable struct WithInitializer {
                @Named("a") let limit: Int // @Named has no effect here; it applies to stored properties
                init(limit: Int) { self.limit = limit }
            }
            @Resolvable struct Markers {
                @Named("a") var number = 5 // @Named has no effect here
                @Named("b") static let shared: Int = 1 // @Named has no effect here
                @Named("c") var computed: Int { 1 } // @Named has no effect here
                @Named("d") lazy var late: Int = 1 // @Named has no effect here
                @Named("e") func load() {} // @Named has no effect here
                @Inject func store() {} // @Inject has no effect here; it marks an initializer in the declaration
                @Inject var text = "" // @Inject has no effect here
                struct Inner {
                    @Inject init(number: Int) {} // @Inject has no effect here
                }
            }
            struct Plain {
                @Named("a") let limit: Int // @Named has no effect here
            }
            extension Plain {
                @Inject init(number: Int) { limit = number } // @Inject has no effect here
            }
            @Named("a") let global: Int = 1 // @Named has no effect here
            @ResolvedScope final class Model {} // @ResolvedScope needs a struct that is a SwiftUI view, not a class
            struct Ping: Command {}
            struct PingHandler: CommandHandler {
                func handle(_ command: Ping) async throws {}
            }
            func build(_ optional: PingHandler?) throws {
                _ = try StandardDispatcher { Ping() } // This value is not a handler.
                _ = try StandardDispatcher { PingHandler.self } // This is a type. Create a handler
                _ = try StandardDispatcher { optional } // This value is optional. Unwrap it
            }
            """

        let errors = try Compiler().diagnostics(of: source).errorsByLine

        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let found = errors[index + 1] ?? []
            if let mark = line.range(of: "// ") {
                let expected = line[mark.upperBound...]
                #expect(found.contains { $0.contains(expected) }, "line \(index + 1) lacks '\(expected)': \(found)")
            } else {
                #expect(found.isEmpty, "line \(index + 1)")
            }
        }
    }

    @Test func `the page about errors has the compiler's texts`() throws {
        let page = try String(
            contentsOf: projectFile("Sources/Core/DuetMacros/DuetMacros.docc/MacroErrors.md"),
            encoding: .utf8
        )
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
        let declarations = """
            import DuetMacros
            public protocol NoteStore {}
            struct DeleteNote: Command {}
            struct LoadNote: Query { typealias Value = String }
            struct LoadNoteHandler: QueryHandler { func handle(_ query: LoadNote) async throws -> String { "" } }
            @Dispatcher struct NotesDispatcher { let load: LoadNoteHandler }

            """
        // Each row is in its namespace, because the names occur in several.
        let samples = rows.enumerated().map { "public enum Row\($0.offset) { \(Self.declaration($0.element[0])) }" }

        let errors = try Compiler().diagnostics(of: declarations + samples.joined(separator: "\n")).errorsByLine

        #expect(rows.count == 16)
        for (index, row) in rows.enumerated() {
            let found = (errors[index + 7] ?? []).map { $0.replacing(/Row[0-9]+\./, with: "") }
            #expect(found.contains { $0.hasPrefix(row[1]) }, "\(row): \(found)")
        }
    }

    @Test func `the error of a subclass that cannot call its superclass's initializer contains a remedy`() throws {
        // Without the diagnostic, the code would compile, but the linker would not find the initializer.
        let source = """
            import DuetMacros
            @Resolvable class Base {
                init(number: Int) {}
            }
            @Resolvable final class Leaf: Base {
                let text: String
            }
            """

        let diagnostics = try Compiler().diagnostics(of: source)

        let errors = diagnostics.filter { $0.severity == .error }
        #expect(errors.count == 1, "\(errors)")
        let text = "'Base' is created by its own 'init(number:)', so the subclass needs an initializer that calls it"
        #expect(errors.first?.message.contains(text) == true)
        #expect(diagnostics.contains { $0.file == "Sample.swift" && $0.line == 5 && $0.severity == .note })
    }

    @Test func `a file that imports only DuetMacros also finds the modules that it exports`() throws {
        let source = """
            public import DuetMacros
            @Resolvable public struct Page {
                let count: Int
            }
            public func dependencies() -> [ResolvedDependency] { Page.dependencies }
            """
        let compiler = Compiler(options: [
            "-enable-upcoming-feature", "InternalImportsByDefault",
            "-enable-upcoming-feature", "MemberImportVisibility",
        ])

        let diagnostics = try compiler.diagnostics(of: source)

        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    /// Completes code of the page.
    private static func declaration(_ code: String) -> String {
        switch code.prefix(while: \.isLetter) {
        case "try": "func use(_ app: NotesDispatcher) async throws { \(code) }"
        case "let": "@Dispatcher struct App { \(code) }"
        case "init": "@Resolvable struct Page { \(code) {} }"
        case "enum": code
        default: code + (code.hasPrefix("@Dispatcher") ? " { let load: LoadNoteHandler }" : " {}")
        }
    }
}

import Foundation
import Testing

/// The compiler reports each misuse on the line where it is written.
@Suite(.serialized)
struct MisuseCompilationTests {
    @Test func `each misuse is an error on its own line`() throws {
        // Each line with an error ends with the text of that error.
        let source = """
            import DuetMacros
            protocol Api {}
            @Resolvable enum Kind { case first } // an enum has no dependencies
            @Resolvable protocol Page {} // a protocol has no dependencies
            @Resolvable struct Handle: ~Copyable { let number: Int } // must be copyable; remove '~Copyable'
            @Resolvable struct Several { // 'Several' has several initializers
                init(number: Int) {}
                init(text: String) {}
            }
            @Resolvable struct Twice {
                @Inject init(number: Int) {}
                @Inject init(text: String) {} // another initializer is already marked with @Inject
            }
            @Resolvable struct Parameters {
                init(
                    texts: String..., // a variadic parameter cannot be resolved
                    api: some Api, // 'some Api' cannot be registered
                    text: @autoclosure () -> String // an '@autoclosure' parameter cannot be resolved
                ) {}
            }
            @Resolvable struct Failable {
                init?(number: Int) { nil } // an initializer that may return nil
            }
            @Resolvable struct Tuple {
                let (first, second): (Int, Int) // @Resolvable resolves one property at a time
            }
            enum Outer {
                @Resolvable private struct Hidden { let number: Int } // make it fileprivate
            }
            struct Plain {
                @Inject init(number: Int) {} // @Inject has an effect only within the declaration of a @Resolvable type
            }
            @Resolvable struct Unnamed {
                @Named("a") var number = 5 // @Named has no effect, because a property with a default value
                @Named("b") static let shared: Int = 1 // @Named applies to stored properties that @Resolvable resolves
            }
            @Resolvable struct ByHand {
                init(from scope: Scope) async throws {} // init(from:) is hand-written
            }
            @Dispatcher actor NoStruct {} // @Dispatcher needs a struct
            @Dispatcher struct NoHandlers {} // 'NoHandlers' has no stored properties
            @Dispatcher struct NoHandler {
                let closure: () -> Void // is not a handler type
                let opaque: any Api // does not name its message
            }
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

        let errors = try Compiler().diagnostics(of: source).filter { $0.severity == .error }

        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let mark = line.range(of: "// ") else { continue }
            let expected = line[mark.upperBound...]
            #expect(
                errors.contains { $0.line == index + 1 && $0.file == "Sample.swift" && $0.message.contains(expected) },
                "line \(index + 1) lacks '\(expected)' among \(errors)"
            )
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
}

import Foundation
import Testing

/// What is refused is refused by the compiler too, on the line where it is written.
@Suite(.serialized)
struct MisuseCompilationTests {
    @Test func `each misuse is an error on its own line`() throws {
        // Each line that is to be refused ends with what its error says.
        let source = """
            import DuetMacros
            protocol Api {}
            @Resolvable enum Kind { case first } // an enum has nothing to be given
            @Resolvable protocol Page {} // a protocol has nothing to be given
            @Resolvable struct Handle: ~Copyable { let number: Int } // cannot be '~Copyable'
            @Resolvable struct Several { // 'Several' has several initialisers
                init(number: Int) {}
                init(text: String) {}
            }
            @Resolvable struct Twice {
                @Inject init(number: Int) {}
                @Inject init(text: String) {} // one initialiser is marked with @Inject already
            }
            @Resolvable struct Parameters {
                init(
                    texts: String..., // a variadic parameter cannot be resolved
                    api: some Api, // 'some Api' names no type that could be registered
                    text: @autoclosure () -> String // an '@autoclosure' parameter cannot be resolved
                ) {}
            }
            @Resolvable struct Failable {
                init?(number: Int) { nil } // an initialiser that may return nil
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
                @Named("b") static let shared: Int = 1 // @Named names what @Resolvable resolves for a stored property
            }
            @Resolvable struct ByHand {
                init(from scope: Scope) async throws {} // init(from:) is written by hand
            }
            @Dispatcher actor NoStruct {} // @Dispatcher needs a struct
            @Dispatcher struct NoHandlers {} // 'NoHandlers' has no stored properties
            @Dispatcher struct NoHandler {
                let closure: () -> Void // is no type of a handler
                let opaque: any Api // does not tell its message
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

    @Test func `a subclass that cannot call its superclass's initialiser is told what to write`() throws {
        // Without this, the compiler would let it pass, and the linker would not find the initialiser.
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
        let text = "'Base' is made with its own 'init(number:)', so the subclass needs an initialiser that calls it"
        #expect(errors.first?.message.contains(text) == true)
        #expect(diagnostics.contains { $0.file == "Sample.swift" && $0.line == 5 && $0.severity == .note })
    }

    @Test func `a source that names nothing but DuetMacros finds the modules behind it`() throws {
        let source = """
            public import DuetMacros
            @Resolvable public struct Page {
                let count: Int
            }
            public func dependencies() -> [Dependency] { Page.dependencies }
            """
        let compiler = Compiler(options: [
            "-enable-upcoming-feature", "InternalImportsByDefault",
            "-enable-upcoming-feature", "MemberImportVisibility",
        ])

        let diagnostics = try compiler.diagnostics(of: source)

        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }
}

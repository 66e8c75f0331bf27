import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Errors of `@Resolvable` about types, with their locations and fix-its.
struct ResolvableRefusalTests {
    @Test func `an enum and a protocol have no dependencies`() {
        expectExpansion(
            of: """
                @Resolvable
                enum Kind {
                    case first
                }
                /// The behavior of a page.
                @Resolvable protocol Page {}
                """,
            to: """
                enum Kind {
                    case first
                }
                /// The behavior of a page.
                protocol Page {}
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable supports structs, classes and actors; an enum has no dependencies",
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Resolvable'")]
                ),
                DiagnosticSpec(
                    message: "@Resolvable supports structs, classes and actors; a protocol has no dependencies",
                    line: 6,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Resolvable'")]
                ),
            ],
            fixed: """
                enum Kind {
                    case first
                }
                /// The behavior of a page.
                protocol Page {}
                """
        )
    }

    @Test func `an extension is rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                extension Page {}
                """,
            to: """
                extension Page {}
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable supports structs, classes and actors; an extension has no dependencies",
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Resolvable'")]
                )
            ],
            fixed: """
                extension Page {}
                """
        )
    }

    @Test func `a noncopyable type is rejected at its inheritance clause`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Handle: ~Copyable {
                    let number: Int
                }
                """,
            to: """
                struct Handle: ~Copyable {
                    let number: Int
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "a scope returns copies, so a @Resolvable type must be copyable; remove '~Copyable'",
                    line: 2,
                    column: 16
                )
            ]
        )
    }

    @Test func `a distributed actor needs an initializer that takes its system`() {
        expectExpansion(
            of: """
                @Resolvable
                distributed actor Node {
                    let name: String
                }
                """,
            to: """
                distributed actor Node {
                    let name: String
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable cannot provide the actor system of a distributed actor; write an "
                        + "initializer that takes it",
                    line: 2,
                    column: 1
                )
            ]
        )
    }

    @Test func `stored properties within #if are rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    #if DEBUG
                    let logger: Logger
                    #else
                    func log() {}
                    #endif
                    #if os(Linux)
                    func path() {}
                    #endif
                }
                """,
            to: """
                struct Page {
                    #if DEBUG
                    let logger: Logger
                    #else
                    func log() {}
                    #endif
                    #if os(Linux)
                    func path() {}
                    #endif
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable cannot evaluate '#if'; move stored properties and initializers out of it",
                    line: 3,
                    column: 5
                )
            ]
        )
    }

    @Test func `a private type within another must be fileprivate`() {
        expectExpansion(
            of: """
                enum Outer {
                    @Resolvable
                    private struct Hidden {
                        let api: any Api
                    }
                }
                """,
            to: """
                enum Outer {
                    private struct Hidden {
                        let api: any Api
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "the generated extension cannot access a private type within another type; make it "
                        + "fileprivate",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "make it fileprivate")]
                )
            ],
            fixed: """
                enum Outer {
                    @Resolvable
                    fileprivate struct Hidden {
                        let api: any Api
                    }
                }
                """
        )
    }

    @Test func `a private class within an extension must be fileprivate`() {
        expectExpansion(
            of: """
                extension Outer {
                    @Resolvable private final class Hidden {
                        let count = 0
                    }
                }
                """,
            to: """
                extension Outer {
                    private final class Hidden {
                        let count = 0
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "the generated extension cannot access a private type within another type; make it "
                        + "fileprivate",
                    line: 2,
                    column: 17,
                    fixIts: [FixItSpec(message: "make it fileprivate")]
                )
            ],
            fixed: """
                extension Outer {
                    @Resolvable fileprivate final class Hidden {
                        let count = 0
                    }
                }
                """
        )
    }

    @Test func `a type within a private type is rejected`() {
        expectExpansion(
            of: """
                enum Outer {
                    private enum Hidden {
                        @Resolvable struct Page {
                            let api: any Api
                        }
                    }
                }
                """,
            to: """
                enum Outer {
                    private enum Hidden {
                        struct Page {
                            let api: any Api
                        }
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "the generated extension cannot access the private type 'Hidden'; make it fileprivate",
                    line: 3,
                    column: 9
                )
            ]
        )
    }

    @Test func `an initializer from a scope without a list of dependencies is rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Manual {
                    let api: any Api

                    init(from scope: Scope) async throws {
                        api = try await scope.resolve()
                    }
                }
                """,
            to: """
                struct Manual {
                    let api: any Api

                    init(from scope: Scope) async throws {
                        api = try await scope.resolve()
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "init(from:) is hand-written, so its dependencies must be, too; add 'static var "
                        + "dependencies'",
                    line: 5,
                    column: 5,
                    fixIts: [FixItSpec(message: "add 'dependencies'")]
                )
            ],
            fixed: """
                @Resolvable
                struct Manual {
                    static var dependencies: [ResolvedDependency] { [] }
                    let api: any Api

                    init(from scope: Scope) async throws {
                        api = try await scope.resolve()
                    }
                }
                """
        )
    }
}

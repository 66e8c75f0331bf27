import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Errors of `@Resolvable` about initializers, with their locations and fix-its.
struct ResolvableInitializerRefusalTests {
    @Test func `one of several initializers must be marked`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    let api: any Api

                    /// From an api.
                    public init(api: any Api) { self.api = api }

                    init(path: String, _ limit: Int) { api = File(path) }
                }
                """,
            to: """
                struct Session {
                    let api: any Api

                    /// From an api.
                    public init(api: any Api) { self.api = api }

                    init(path: String, _ limit: Int) { api = File(path) }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'Session' has several initializers; mark the one @Resolvable should use with @Inject",
                    line: 1,
                    column: 1,
                    fixIts: [
                        FixItSpec(message: "mark 'init(api:)' with @Inject"),
                        FixItSpec(message: "mark 'init(path:_:)' with @Inject"),
                    ]
                )
            ],
            fixed: """
                @Resolvable
                struct Session {
                    let api: any Api

                    /// From an api.
                    @Inject public init(api: any Api) { self.api = api }

                    init(path: String, _ limit: Int) { api = File(path) }
                }
                """
        )
    }

    @Test func `a second marked initializer is rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Session {
                    @Inject init(api: any Api) {}
                    @Inject init(path: String) {}
                }
                """,
            to: """
                final class Session {
                    init(api: any Api) {}
                    init(path: String) {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "another initializer is already marked with @Inject; @Resolvable uses one",
                    line: 4,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Inject'")]
                )
            ],
            fixed: """
                @Resolvable
                final class Session {
                    @Inject init(api: any Api) {}
                    init(path: String) {}
                }
                """
        )
    }

    @Test func `an initializer that may return nil is rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init?(api: any Api) { nil }
                }
                @Resolvable
                struct Other {
                    @Inject init!(api: any Api) { nil }
                }
                """,
            to: """
                struct Session {
                    init?(api: any Api) { nil }
                }
                struct Other {
                    init!(api: any Api) { nil }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable cannot use an initializer that may return nil; throw an error instead",
                    line: 3,
                    column: 9
                ),
                DiagnosticSpec(
                    message: "@Resolvable cannot use an initializer that may return nil; throw an error instead",
                    line: 7,
                    column: 17
                ),
            ]
        )
    }

    @Test func `an initializer with its own generic parameters is rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init<A: Api>(api: A) {}
                }
                """,
            to: """
                struct Session {
                    init<A: Api>(api: A) {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable cannot choose the generic parameters of an initializer; move them to the "
                        + "type",
                    line: 3,
                    column: 9
                )
            ]
        )
    }

    @Test func `a variadic parameter becomes an array`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(plugins: Plugin..., name: String) {}
                }
                """,
            to: """
                struct Session {
                    init(plugins: Plugin..., name: String) {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "a variadic parameter cannot be resolved; take an array, which receives every "
                        + "registration of its element's type",
                    line: 3,
                    column: 10,
                    fixIts: [FixItSpec(message: "take '[Plugin]'")]
                )
            ],
            fixed: """
                @Resolvable
                struct Session {
                    init(plugins: [Plugin], name: String) {}
                }
                """
        )
    }

    @Test func `an opaque type of a parameter becomes an existential type`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(api: some Api, more: [some Plugin]) {}
                }
                """,
            to: """
                struct Session {
                    init(api: some Api, more: [some Plugin]) {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'some Api' cannot be registered; use 'any Api', or a generic parameter of the type",
                    line: 3,
                    column: 15,
                    fixIts: [FixItSpec(message: "use 'any Api'")]
                ),
                DiagnosticSpec(
                    message: "'some Plugin' cannot be registered; use 'any Plugin', or a generic parameter of the type",
                    line: 3,
                    column: 32,
                    fixIts: [FixItSpec(message: "use 'any Plugin'")]
                ),
            ],
            fixed: """
                @Resolvable
                struct Session {
                    init(api: any Api, more: [any Plugin]) {}
                }
                """
        )
    }

    @Test func `parameters that cannot be resolved are rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session<each Part> {
                    init(count: inout Int, actor: isolated Actor, text: @autoclosure () -> String, parts: repeat each Part) {}
                }
                """,
            to: """
                struct Session<each Part> {
                    init(count: inout Int, actor: isolated Actor, text: @autoclosure () -> String, parts: repeat each Part) {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "an 'inout' parameter cannot be resolved; give it a default value or mark another "
                        + "initializer with @Inject",
                    line: 3,
                    column: 10
                ),
                DiagnosticSpec(
                    message: "an 'isolated' parameter cannot be resolved; give it a default value or mark another "
                        + "initializer with @Inject",
                    line: 3,
                    column: 28
                ),
                DiagnosticSpec(
                    message: "an '@autoclosure' parameter cannot be resolved; give it a default value or mark another "
                        + "initializer with @Inject",
                    line: 3,
                    column: 51
                ),
                DiagnosticSpec(
                    message: "a parameter pack cannot be resolved; give it a default value or mark another "
                        + "initializer with @Inject",
                    line: 3,
                    column: 84
                ),
            ]
        )
    }

    @Test func `a parameter that cannot be resolved is allowed if it has a default value`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(text: @autoclosure () -> String = "") {}
                }
                """,
            to: """
                struct Session {
                    init(text: @autoclosure () -> String = "") {}
                }

                extension Session: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.init()
                    }
                }
                """
        )
    }
}

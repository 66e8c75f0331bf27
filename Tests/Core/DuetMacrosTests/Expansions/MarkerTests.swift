import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Errors about misplaced `@Inject` and `@Named`, with fix-its.
struct MarkerTests {
    @Test func `a marker outside a resolvable type has no effect`() {
        expectExpansion(
            of: """
                struct Page {
                    @Named("first") let api: any Api
                    /// Makes it.
                    @Inject init(api: any Api) { self.api = api }
                }
                @Named("first") let global: Int
                """,
            to: """
                struct Page {
                    let api: any Api
                    /// Makes it.
                    init(api: any Api) { self.api = api }
                }
                let global: Int
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Named has an effect only within the declaration of a @Resolvable type",
                    line: 2,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"first\")'")]
                ),
                DiagnosticSpec(
                    message: "@Inject has an effect only within the declaration of a @Resolvable type",
                    line: 4,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Inject'")]
                ),
                DiagnosticSpec(
                    message: "@Named has an effect only within the declaration of a @Resolvable type",
                    line: 6,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Named(\"first\")'")]
                ),
            ],
            fixed: """
                struct Page {
                    let api: any Api
                    /// Makes it.
                    init(api: any Api) { self.api = api }
                }
                let global: Int
                """
        )
    }

    @Test func `a marker in an extension of a resolvable type has no effect`() {
        expectExpansion(
            of: """
                extension Session {
                    @Inject init(path: String) {}
                }
                """,
            to: """
                extension Session {
                    init(path: String) {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Inject has an effect only within the declaration of a @Resolvable type",
                    line: 2,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Inject'")]
                )
            ],
            fixed: """
                extension Session {
                    init(path: String) {}
                }
                """
        )
    }

    @Test func `a marker in a type within a resolvable type has no effect`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    struct Inner {
                        @Inject init(path: String) {}
                    }
                }
                """,
            to: """
                struct Page {
                    struct Inner {
                        init(path: String) {}
                    }
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Inject has an effect only within the declaration of a @Resolvable type",
                    line: 4,
                    column: 9,
                    fixIts: [FixItSpec(message: "remove '@Inject'")]
                )
            ],
            fixed: """
                @Resolvable
                struct Page {
                    struct Inner {
                        init(path: String) {}
                    }
                }
                """
        )
    }

    @Test func `only an initializer can be marked with @Inject`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    @Inject let api: any Api = File()
                    @Inject func load() {}
                }
                """,
            to: """
                struct Page {
                    let api: any Api = File()
                    func load() {}
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Inject marks the initializer that @Resolvable should use; it has no effect here",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Inject'")]
                ),
                DiagnosticSpec(
                    message: "@Inject marks the initializer that @Resolvable should use; it has no effect here",
                    line: 4,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Inject'")]
                ),
            ],
            fixed: """
                @Resolvable
                struct Page {
                    let api: any Api = File()
                    func load() {}
                }
                """
        )
    }

    @Test func `only a stored property can have a name`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    @Named("a") var computed: Int { 1 }
                    @Named("b") static let shared: Int = 1
                    @Named("c") lazy var late: Int = 1
                    @Named("d") func load() {}
                }
                """,
            to: """
                struct Page {
                    var computed: Int { 1 }
                    static let shared: Int = 1
                    lazy var late: Int = 1
                    func load() {}
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Named applies to stored properties that @Resolvable resolves; it has no effect here",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"a\")'")]
                ),
                DiagnosticSpec(
                    message: "@Named applies to stored properties that @Resolvable resolves; it has no effect here",
                    line: 4,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"b\")'")]
                ),
                DiagnosticSpec(
                    message: "@Named applies to stored properties that @Resolvable resolves; it has no effect here",
                    line: 5,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"c\")'")]
                ),
                DiagnosticSpec(
                    message: "@Named applies to stored properties that @Resolvable resolves; it has no effect here",
                    line: 6,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"d\")'")]
                ),
            ],
            fixed: """
                @Resolvable
                struct Page {
                    var computed: Int { 1 }
                    static let shared: Int = 1
                    lazy var late: Int = 1
                    func load() {}
                }
                """
        )
    }

    @Test func `a name beside a default value has no effect`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    @Named("a") var limit = 5
                }
                """,
            to: """
                struct Page {
                    var limit = 5
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Named has no effect, because a property with a default value is not resolved; remove "
                        + "one of the two",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"a\")'")]
                )
            ],
            fixed: """
                @Resolvable
                struct Page {
                    var limit = 5
                }
                """
        )
    }

    @Test func `a name in a type with an initializer has no effect`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    @Named("a") let limit: Int

                    init(limit: Int) { self.limit = limit }
                }
                """,
            to: """
                struct Page {
                    let limit: Int

                    init(limit: Int) { self.limit = limit }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Named has no effect, because @Resolvable uses 'init(limit:)' and not the properties",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "remove '@Named(\"a\")'")]
                )
            ],
            fixed: """
                @Resolvable
                struct Page {
                    let limit: Int

                    init(limit: Int) { self.limit = limit }
                }
                """
        )
    }
}

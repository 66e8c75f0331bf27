import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Errors of `@Resolvable` about stored properties, with their locations and fix-its.
struct ResolvablePropertyRefusalTests {
    @Test func `a property without a type and without a value is rejected`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let api // the api
                    var limit
                }
                """,
            to: """
                struct Page {
                    let api // the api
                    var limit
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'api' has neither a type nor a default value; write its type",
                    line: 3,
                    column: 9,
                    fixIts: [FixItSpec(message: "write its type: '<#Type#>'")]
                ),
                DiagnosticSpec(
                    message: "'limit' has neither a type nor a default value; write its type",
                    line: 4,
                    column: 9,
                    fixIts: [FixItSpec(message: "write its type: '<#Type#>'")]
                ),
            ],
            fixed: """
                @Resolvable
                struct Page {
                    let api: <#Type#> // the api
                    var limit: <#Type#>
                }
                """
        )
    }

    @Test func `a tuple of names is separated`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let (api, logger): (any Api, Logger)
                    var (a, (b, c)): (Int, (Int, Int))
                }
                """,
            to: """
                struct Page {
                    let (api, logger): (any Api, Logger)
                    var (a, (b, c)): (Int, (Int, Int))
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable resolves one property at a time; declare each with its own name and type",
                    line: 3,
                    column: 9,
                    fixIts: [FixItSpec(message: "declare each separately")]
                ),
                DiagnosticSpec(
                    message: "@Resolvable resolves one property at a time; declare each with its own name and type",
                    line: 4,
                    column: 9
                ),
            ],
            fixed: """
                @Resolvable
                struct Page {
                    let api: any Api, logger: Logger
                    var (a, (b, c)): (Int, (Int, Int))
                }
                """
        )
    }

    @Test func `an opaque type of a property becomes an existential type`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let api: some Api
                }
                """,
            to: """
                struct Page {
                    let api: some Api
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'some Api' cannot be registered; use 'any Api', or a generic parameter of the type",
                    line: 3,
                    column: 14,
                    fixIts: [FixItSpec(message: "use 'any Api'")]
                )
            ],
            fixed: """
                @Resolvable
                struct Page {
                    let api: any Api
                }
                """
        )
    }

    @Test func `a property with a property wrapper is rejected, unless it has a value`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Page {
                    @Published var title: String
                    @Published var subtitle = ""
                    @Published var text: String? // or none
                }
                """,
            to: """
                final class Page {
                    @Published var title: String
                    @Published var subtitle = ""
                    @Published var text: String? // or none
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Resolvable cannot set 'title' because of '@Published'; give the property a "
                        + "default value, or write an initializer",
                    line: 3,
                    column: 5
                ),
                DiagnosticSpec(
                    message: "@Resolvable cannot set 'text' because of '@Published'; give the property a "
                        + "default value, or write an initializer",
                    line: 5,
                    column: 5,
                    fixIts: [FixItSpec(message: "give it the default value 'nil'")]
                ),
            ],
            fixed: """
                @Resolvable
                final class Page {
                    @Published var title: String
                    @Published var subtitle = ""
                    @Published var text: String? = nil // or none
                }
                """
        )
    }

    @Test func `all errors are reported at once`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let api: some Api
                    let (a, b): (Int, Int)
                }
                """,
            to: """
                struct Page {
                    let api: some Api
                    let (a, b): (Int, Int)
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'some Api' cannot be registered; use 'any Api', or a generic parameter of the type",
                    line: 3,
                    column: 14,
                    fixIts: [FixItSpec(message: "use 'any Api'")]
                ),
                DiagnosticSpec(
                    message: "@Resolvable resolves one property at a time; declare each with its own name and type",
                    line: 4,
                    column: 9,
                    fixIts: [FixItSpec(message: "declare each separately")]
                ),
            ],
            fixed: """
                @Resolvable
                struct Page {
                    let api: any Api
                    let a: Int, b: Int
                }
                """
        )
    }
}

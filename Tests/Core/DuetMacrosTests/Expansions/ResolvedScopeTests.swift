import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// `@ResolvedScope` on SwiftUI views.
struct ResolvedScopeTests {
    @Test func `a view gets the scope around it as a property`() {
        expectExpansion(
            of: """
                @ResolvedScope
                struct RootView: View {
                    @Resolved private var dispatcher: any Dispatcher
                }
                """,
            to: """
                struct RootView: View {
                    @Resolved private var dispatcher: any Dispatcher

                    @SwiftUI.Environment(\\.scope) private var scope
                }
                """
        )
    }

    @Test func `only a struct can be a view`() {
        expectExpansion(
            of: """
                @ResolvedScope final class RootModel {}
                """,
            to: """
                final class RootModel {}
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@ResolvedScope needs a struct that is a SwiftUI view, not a class",
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@ResolvedScope'")]
                )
            ],
            fixed: "final class RootModel {}"
        )
    }
}

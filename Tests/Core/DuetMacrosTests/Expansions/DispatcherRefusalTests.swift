import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Errors of `@Dispatcher`, with their locations and fix-its.
struct DispatcherRefusalTests {
    @Test func `a class is rejected with a fix-it for a struct`() {
        expectExpansion(
            of: """
                @Dispatcher
                class AppDispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            to: """
                class AppDispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher needs a struct whose stored properties are handlers, not a class",
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "make it a struct"), FixItSpec(message: "remove '@Dispatcher'")]
                )
            ],
            fixed: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """
        )
    }

    @Test func `a final class, an enum, and an actor are rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                final class First {}
                @Dispatcher
                enum AppDispatcher {}
                @Dispatcher actor Other {}
                """,
            to: """
                final class First {}
                enum AppDispatcher {}
                actor Other {}
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher needs a struct whose stored properties are handlers, not a class",
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Dispatcher'")]
                ),
                DiagnosticSpec(
                    message: "@Dispatcher needs a struct whose stored properties are handlers, not an enum",
                    line: 3,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Dispatcher'")]
                ),
                DiagnosticSpec(
                    message: "@Dispatcher needs a struct whose stored properties are handlers, not an actor",
                    line: 5,
                    column: 1,
                    fixIts: [FixItSpec(message: "remove '@Dispatcher'")]
                ),
            ],
            fixed: """
                final class First {}
                enum AppDispatcher {}
                actor Other {}
                """
        )
    }

    @Test func `a struct without stored properties is rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    static let loadFeed = LoadFeedHandler()
                    var count: Int { 0 }
                }
                """,
            to: """
                struct AppDispatcher {
                    static let loadFeed = LoadFeedHandler()
                    var count: Int { 0 }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'AppDispatcher' has no stored properties; give it one for each handler, such as 'let "
                        + "loadFeed: LoadFeedHandler'",
                    line: 1,
                    column: 1
                )
            ]
        )
    }

    @Test func `a property without a type is rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed = LoadFeedHandler(store: store)
                    let other = makeHandler()
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed = LoadFeedHandler(store: store)
                    let other = makeHandler()
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher needs the type of 'loadFeed'; write it",
                    line: 3,
                    column: 9,
                    fixIts: [FixItSpec(message: "write its type: 'LoadFeedHandler'")]
                ),
                DiagnosticSpec(
                    message: "@Dispatcher needs the type of 'other'; write it",
                    line: 4,
                    column: 9,
                    fixIts: [FixItSpec(message: "write its type: '<#Handler#>'")]
                ),
            ],
            fixed: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler = LoadFeedHandler(store: store)
                    let other: <#Handler#> = makeHandler()
                }
                """
        )
    }

    @Test func `a tuple of names is separated`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let (loadFeed, postComment): (LoadFeedHandler, PostCommentHandler)
                }
                """,
            to: """
                struct AppDispatcher {
                    let (loadFeed, postComment): (LoadFeedHandler, PostCommentHandler)
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher needs a name and a type for each handler; declare each separately",
                    line: 3,
                    column: 9,
                    fixIts: [FixItSpec(message: "declare each separately")]
                )
            ],
            fixed: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler, postComment: PostCommentHandler
                }
                """
        )
    }
}

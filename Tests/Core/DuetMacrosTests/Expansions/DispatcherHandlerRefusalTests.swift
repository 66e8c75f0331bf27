import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Errors of `@Dispatcher` about handler types, with their locations and fix-its.
struct DispatcherHandlerRefusalTests {
    @Test func `an opaque handler is rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: some QueryHandler<LoadFeed> = LoadFeedHandler()
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: some QueryHandler<LoadFeed> = LoadFeedHandler()
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher cannot name the type 'some QueryHandler<LoadFeed>'; use 'any "
                        + "QueryHandler<LoadFeed> & Sendable', or a generic parameter of the struct",
                    line: 3,
                    column: 19,
                    fixIts: [FixItSpec(message: "use 'any QueryHandler<LoadFeed> & Sendable'")]
                )
            ],
            fixed: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed> & Sendable = LoadFeedHandler()
                }
                """
        )
    }

    @Test func `a protocol that does not name its message is rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: any LoadFeedHandling
                    let other: any QueryHandler & Sendable
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: any LoadFeedHandling
                    let other: any QueryHandler & Sendable
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'any LoadFeedHandling' does not name its message; write the handler's own type, 'any "
                        + "QueryHandler<Message> & Sendable' or 'any CommandHandler<Message> & Sendable'",
                    line: 3,
                    column: 19
                ),
                DiagnosticSpec(
                    message: "'any QueryHandler & Sendable' does not name its message; write the handler's own type, "
                        + "'any QueryHandler<Message> & Sendable' or 'any CommandHandler<Message> & Sendable'",
                    line: 4,
                    column: 16
                ),
            ]
        )
    }

    @Test func `a handler with a protocol type must be Sendable`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed>
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed>
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "a handler that a dispatcher stores must be Sendable; add '& Sendable'",
                    line: 3,
                    column: 19,
                    fixIts: [FixItSpec(message: "add '& Sendable'")]
                )
            ],
            fixed: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed> & Sendable
                }
                """
        )
    }

    @Test func `types that cannot be handlers are rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let optional: LoadFeedHandler?
                    let list: [LoadFeedHandler]
                    let closure: () -> Void
                    let pair: (A, B)
                }
                """,
            to: """
                struct AppDispatcher {
                    let optional: LoadFeedHandler?
                    let list: [LoadFeedHandler]
                    let closure: () -> Void
                    let pair: (A, B)
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'LoadFeedHandler?' is not a handler type; @Dispatcher needs one handler per property",
                    line: 3,
                    column: 19
                ),
                DiagnosticSpec(
                    message: "'[LoadFeedHandler]' is not a handler type; @Dispatcher needs one handler per property",
                    line: 4,
                    column: 15
                ),
                DiagnosticSpec(
                    message: "'() -> Void' is not a handler type; @Dispatcher needs one handler per property",
                    line: 5,
                    column: 18
                ),
                DiagnosticSpec(
                    message: "'(A, B)' is not a handler type; @Dispatcher needs one handler per property",
                    line: 6,
                    column: 15
                ),
            ]
        )
    }

    @Test func `a repeated handler is rejected at the second property`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                    let again: (LoadFeedHandler)
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                    let again: (LoadFeedHandler)
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'again' handles the same message as 'loadFeed'; remove one of them",
                    line: 4,
                    column: 9
                )
            ]
        )
    }

    @Test func `a repeated message is rejected at the second property`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed> & Sendable
                    let again: any Sendable & Duet.QueryHandler<LoadFeed>
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed> & Sendable
                    let again: any Sendable & Duet.QueryHandler<LoadFeed>
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'again' handles the same message as 'loadFeed'; remove one of them",
                    line: 4,
                    column: 9
                )
            ]
        )
    }

    @Test func `a name that the macro generates is rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let dispatcher: LoadFeedHandler
                }
                """,
            to: """
                struct AppDispatcher {
                    let dispatcher: LoadFeedHandler
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher generates a member 'dispatcher'; rename the handler",
                    line: 3,
                    column: 9
                )
            ]
        )
    }

    @Test func `a struct that would dispatch every message is rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher: Sendable, Dispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            to: """
                struct AppDispatcher: Sendable, Dispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "a @Dispatcher that conforms to 'Dispatcher' would accept every message; pass its "
                        + "property 'dispatcher' instead",
                    line: 2,
                    column: 33,
                    fixIts: [FixItSpec(message: "remove 'Dispatcher'")]
                )
            ],
            fixed: """
                @Dispatcher
                struct AppDispatcher: Sendable {
                    let loadFeed: LoadFeedHandler
                }
                """
        )
    }

    @Test func `the only conformance is removed with its colon`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher: Duet.CommandQueryDispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            to: """
                struct AppDispatcher: Duet.CommandQueryDispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "a @Dispatcher that conforms to 'Duet.CommandQueryDispatcher' would accept every "
                        + "message; pass its property 'dispatcher' instead",
                    line: 2,
                    column: 23,
                    fixIts: [FixItSpec(message: "remove 'Duet.CommandQueryDispatcher'")]
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

    @Test func `handlers within #if are rejected`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                    #if DEBUG
                    let postComment: PostCommentHandler
                    #endif
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                    #if DEBUG
                    let postComment: PostCommentHandler
                    #endif
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "@Dispatcher cannot evaluate '#if'; move the handlers out of it",
                    line: 4,
                    column: 5
                )
            ]
        )
    }
}

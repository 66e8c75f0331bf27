import Testing

/// Expansions of `@Dispatcher` for structs of handlers.
struct DispatcherExpansionTests {
    @Test func `each handler gets a dispatch of its own, and all of them make a dispatcher`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                    let postComment: PostCommentHandler
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                    let postComment: PostCommentHandler

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: LoadFeedHandler.Message
                    ) async throws -> LoadFeedHandler.Message.Value {
                        try await self.loadFeed.handle(message)
                    }

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: PostCommentHandler.Message
                    ) async throws -> PostCommentHandler.Message.Value {
                        try await self.postComment.handle(message)
                    }

                    nonisolated var dispatcher: any Duet.CommandQueryDispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.loadFeed
                                self.postComment
                            }
                        }
                    }
                }
                """
        )
    }

    @Test func `a handler behind a protocol gets one for the message that it names`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed> & Sendable
                    let postComment: (any Sendable & Duet.CommandHandler<Comments.Post>)
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: any QueryHandler<LoadFeed> & Sendable
                    let postComment: (any Sendable & Duet.CommandHandler<Comments.Post>)

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: LoadFeed
                    ) async throws -> LoadFeed.Value {
                        try await self.loadFeed.handle(message)
                    }

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: Comments.Post
                    ) async throws -> Comments.Post.Value {
                        try await self.postComment.handle(message)
                    }

                    nonisolated var dispatcher: any Duet.CommandQueryDispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.loadFeed
                                self.postComment
                            }
                        }
                    }
                }
                """
        )
    }

    @Test func `members are as visible as the struct`() {
        expectExpansion(
            of: """
                @Dispatcher
                public struct AppDispatcher {
                    private let loadFeed: LoadFeedHandler
                }
                """,
            to: """
                public struct AppDispatcher {
                    private let loadFeed: LoadFeedHandler

                    @inline(__always)
                    public nonisolated(nonsending) func dispatch(
                        _ message: LoadFeedHandler.Message
                    ) async throws -> LoadFeedHandler.Message.Value {
                        try await self.loadFeed.handle(message)
                    }

                    public nonisolated var dispatcher: any Duet.CommandQueryDispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.loadFeed
                            }
                        }
                    }
                }
                """
        )
    }

    @Test func `generic handlers, several on a line and nested types are handlers too`() {
        expectExpansion(
            of: """
                @Dispatcher
                struct AppDispatcher<H: QueryHandler & Sendable> {
                    let generic: H, loadFeed: LoadFeedHandler<InMemoryStore>
                    var `repeat`: Feed.Handler = Feed.Handler()
                    static let shared = 1
                    var count: Int { 2 }
                }
                """,
            to: """
                struct AppDispatcher<H: QueryHandler & Sendable> {
                    let generic: H, loadFeed: LoadFeedHandler<InMemoryStore>
                    var `repeat`: Feed.Handler = Feed.Handler()
                    static let shared = 1
                    var count: Int { 2 }

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: H.Message
                    ) async throws -> H.Message.Value {
                        try await self.generic.handle(message)
                    }

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: LoadFeedHandler<InMemoryStore>.Message
                    ) async throws -> LoadFeedHandler<InMemoryStore>.Message.Value {
                        try await self.loadFeed.handle(message)
                    }

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: Feed.Handler.Message
                    ) async throws -> Feed.Handler.Message.Value {
                        try await self.`repeat`.handle(message)
                    }

                    nonisolated var dispatcher: any Duet.CommandQueryDispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.generic
                                self.loadFeed
                                self.`repeat`
                            }
                        }
                    }
                }
                """
        )
    }

    @Test func `a dispatcher can be resolvable as well`() {
        expectExpansion(
            of: """
                @Resolvable
                @Dispatcher
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler
                }
                """,
            to: """
                struct AppDispatcher {
                    let loadFeed: LoadFeedHandler

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(
                        _ message: LoadFeedHandler.Message
                    ) async throws -> LoadFeedHandler.Message.Value {
                        try await self.loadFeed.handle(message)
                    }

                    nonisolated var dispatcher: any Duet.CommandQueryDispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.loadFeed
                            }
                        }
                    }
                }

                extension AppDispatcher: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.Dependency] {
                        [DuetDependencies.Dependency(LoadFeedHandler.self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.loadFeed = try await scope.resolve(LoadFeedHandler.self)
                    }
                }
                """
        )
    }
}

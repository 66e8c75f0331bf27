import Testing

/// Expansions of `@Dispatcher` for structs of handlers.
struct DispatcherExpansionTests {
    @Test func `each handler has its own dispatch method, and all of them form a dispatcher`() {
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
                    nonisolated(nonsending) func dispatch(_ message: DuetMacros.HandledMessage<LoadFeedHandler>) async \
                throws -> DuetMacros.HandledMessage<LoadFeedHandler>.Value {
                        // If this is a redeclaration, another property handles the message of 'loadFeed', too.
                        try await self.loadFeed.handle(message)
                    }

                    @inline(__always)
                    nonisolated(nonsending) func dispatch(_ message: DuetMacros.HandledMessage<PostCommentHandler>) \
                async throws -> DuetMacros.HandledMessage<PostCommentHandler>.Value {
                        // If this is a redeclaration, another property handles the message of 'postComment', too.
                        try await self.postComment.handle(message)
                    }

                    @available(*, unavailable, message: "AppDispatcher has no handler for this message. Add a property \
                with one.")
                    nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
                        _ message: UnhandledMessage,
                        _: Void = ()
                    ) async throws -> UnhandledMessage.Value {
                        throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
                    }

                    nonisolated var dispatcher: any Duet.Dispatcher {
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

    @Test func `a handler with a protocol type has a method for the message that the type names`() {
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

                \(dispatch(of: "LoadFeed", to: "loadFeed"))

                \(dispatch(of: "Comments.Post", to: "postComment"))

                \(unhandledDispatch)

                    nonisolated var dispatcher: any Duet.Dispatcher {
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

    @Test func `members are as visible as the struct, with hints about the requirements`() {
        expectExpansion(
            of: """
                @Dispatcher
                public struct AppDispatcher {
                    private let loadFeed: LoadFeedHandler
                    let post: any CommandHandler<Post> & Sendable
                }
                """,
            to: """
                public struct AppDispatcher {
                    private let loadFeed: LoadFeedHandler
                    let post: any CommandHandler<Post> & Sendable

                    @inline(__always)
                    public nonisolated(nonsending) func dispatch(_ message: \
                DuetMacros.HandledMessage<LoadFeedHandler>) async throws -> \
                DuetMacros.HandledMessage<LoadFeedHandler>.Value {
                        // If this is a redeclaration, another property handles the message of 'loadFeed', too.
                        // A public dispatcher needs a public and Sendable handler 'loadFeed' with a public 'handle'.
                        try await self.loadFeed.handle(message)
                    }

                    @inline(__always)
                    public nonisolated(nonsending) func dispatch(_ message: Post) async throws -> Post.Value {
                        // If this is a redeclaration, another property handles the message of 'post', too.
                        // A public dispatcher needs a public message for 'post'.
                        try await self.post.handle(message)
                    }

                    @available(*, unavailable, message: "AppDispatcher has no handler for this message. Add a property \
                with one.")
                    public nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
                        _ message: UnhandledMessage,
                        _: Void = ()
                    ) async throws -> UnhandledMessage.Value {
                        throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
                    }

                    public nonisolated var dispatcher: any Duet.Dispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.loadFeed
                                self.post
                            }
                        }
                    }
                }
                """
        )
    }

    @Test func `members of a package struct are visible in the package`() {
        expectExpansion(
            of: """
                @Dispatcher
                package struct AppDispatcher {
                    let feed: Feed
                }
                """,
            to: """
                package struct AppDispatcher {
                    let feed: Feed

                    @inline(__always)
                    package nonisolated(nonsending) func dispatch(_ message: DuetMacros.HandledMessage<Feed>) async \
                throws -> DuetMacros.HandledMessage<Feed>.Value {
                        // If this is a redeclaration, another property handles the message of 'feed', too.
                        // A package dispatcher needs a package and Sendable handler 'feed' with a package 'handle'.
                        try await self.feed.handle(message)
                    }

                    @available(*, unavailable, message: "AppDispatcher has no handler for this message. Add a property \
                with one.")
                    package nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
                        _ message: UnhandledMessage,
                        _: Void = ()
                    ) async throws -> UnhandledMessage.Value {
                        throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
                    }

                    package nonisolated var dispatcher: any Duet.Dispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.feed
                            }
                        }
                    }
                }
                """
        )
    }

    @Test func `generic handlers, several on a line, and nested types are handlers`() {
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

                \(dispatch(of: "DuetMacros.HandledMessage<H>", to: "generic"))

                \(dispatch(of: "DuetMacros.HandledMessage<LoadFeedHandler<InMemoryStore>>", to: "loadFeed"))

                \(dispatch(of: "DuetMacros.HandledMessage<Feed.Handler>", to: "`repeat`"))

                \(unhandledDispatch)

                    nonisolated var dispatcher: any Duet.Dispatcher {
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

                \(dispatch(of: "DuetMacros.HandledMessage<LoadFeedHandler>", to: "loadFeed"))

                \(unhandledDispatch)

                    nonisolated var dispatcher: any Duet.Dispatcher {
                        get throws {
                            try Duet.StandardDispatcher {
                                self.loadFeed
                            }
                        }
                    }
                }

                extension AppDispatcher: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency(LoadFeedHandler.self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.loadFeed = try await scope.resolve(LoadFeedHandler.self)
                    }
                }
                """
        )
    }

    /// The method for the message of one property, as the first test spells it out.
    private func dispatch(of message: String, to property: String) -> String {
        """
            @inline(__always)
            nonisolated(nonsending) func dispatch(_ message: \(message)) async throws -> \(message).Value {
                // If this is a redeclaration, another property handles the message of '\(property)', too.
                try await self.\(property).handle(message)
            }
        """
    }

    /// The overload that reports a message without a handler, as the first test spells it out.
    private let unhandledDispatch = """
            @available(*, unavailable, message: "AppDispatcher has no handler for this message. \
        Add a property with one.")
            nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
                _ message: UnhandledMessage,
                _: Void = ()
            ) async throws -> UnhandledMessage.Value {
                throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
            }
        """
}

import Testing

/// Compilation of `@Dispatcher` structs, with the compiler's own errors.
@Suite(.serialized)
struct DispatcherCompilationTests {
    @Test func `a message without a handler does not compile`() throws {
        let source = self.source(
            """
            @Dispatcher struct AppDispatcher {
                let loadFeed: LoadFeedHandler
                let postComment: PostCommentHandler
            }
            func use(_ app: AppDispatcher) async throws {
                let feed: [String] = try await app.dispatch(LoadFeed())
                try await app.dispatch(PostComment(text: feed[0]))
                try await app.dispatch(DeleteFeed())
            }
            """
        )

        let errors = try Compiler().diagnostics(of: source).filter { $0.severity == .error }

        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.file == "Sample.swift")
        #expect(errors.first?.line == 20)
        #expect(errors.first?.message == Self.unhandled)
    }

    @Test func `a message that the only handler does not handle does not compile`() throws {
        let source = self.source(
            """
            @Dispatcher struct AppDispatcher { let loadFeed: LoadFeedHandler }
            func use(_ app: AppDispatcher) async throws {
                try await app.dispatch(DeleteFeed())
            }
            """
        )

        let errors = try Compiler().diagnostics(of: source).filter { $0.severity == .error }

        #expect(errors.map(\.line) == [15], "\(errors)")
        #expect(errors.map(\.message) == [Self.unhandled])
    }

    @Test func `handled messages compile with an unhandled one among generic and unapplied uses`() throws {
        let source = self.source(
            """
            @Dispatcher struct AppDispatcher<H: CommandHandler & Sendable> {
                let loadFeed: LoadFeedHandler
                let generic: H
                func forward(_ message: H.Message) async throws { try await dispatch(message) }
            }
            func use(_ app: AppDispatcher<PostCommentHandler>) async throws {
                let load: (LoadFeed) async throws -> [String] = app.dispatch
                try await app.dispatch(.init(text: load(LoadFeed())[0]))
            }
            func use(_ app: AppDispatcher<PostCommentHandler>, _ message: some Command) async throws {
                try await app.dispatch(message)
            }
            """
        )

        let errors = try Compiler().diagnostics(of: source).filter { $0.severity == .error }

        #expect(errors.map(\.line) == [23], "\(errors)")
        #expect(errors.map(\.message) == [Self.unhandled])
    }

    @Test func `a value that is not a message does not compile`() throws {
        let source = self.source(
            """
            @Dispatcher struct AppDispatcher { let loadFeed: LoadFeedHandler }
            func use(_ app: AppDispatcher) async throws {
                try await app.dispatch(LoadFeedHandler())
            }
            """
        )

        let errors = try Compiler().diagnostics(of: source).filter { $0.severity == .error }

        #expect(errors.map(\.line) == [15], "\(errors)")
        #expect(
            errors.map(\.message) == ["instance method 'dispatch' requires that 'LoadFeedHandler' conform to 'Message'"]
        )
    }

    @Test func `a stored property that is not a handler does not compile`() throws {
        let source = self.source(
            """
            @Dispatcher struct AppDispatcher {
                let loadFeed: LoadFeedHandler
                let count: Int
            }
            """
        )

        let diagnostics = try Compiler().diagnostics(of: source)

        let errors = diagnostics.filter { $0.severity == .error }
        #expect(errors.first?.message == "type 'Int' does not conform to protocol 'Handler'", "\(errors)")
        #expect(errors.last?.message.contains("This value is not a handler.") == true, "\(errors)")
        let place = diagnostics.first { $0.file == "Sample.swift" }
        #expect(place?.message.contains("in expansion of macro 'Dispatcher' on struct 'AppDispatcher' here") == true)
    }

    @Test func `a public dispatcher needs public handlers that are Sendable`() throws {
        let source = self.source(
            """
            public struct DeleteNote: Command {}
            struct InternalHandler: CommandHandler {
                func handle(_ command: DeleteNote) async throws {}
            }
            public struct PublicHandler: CommandHandler {
                public func handle(_ command: DeleteNote) async throws {}
            }
            @Dispatcher public struct First { let deleteNote: InternalHandler }
            @Dispatcher public struct Second { let deleteNote: PublicHandler }
            @Dispatcher public struct Third { let deleteNote: any CommandHandler<DeleteNote> & Sendable }
            """
        )

        let errors = try Compiler().diagnostics(of: source).filter { $0.severity == .error }

        #expect(
            Set(errors.map(\.message)) == [
                "method cannot be declared public because its parameter uses an internal type",
                "type 'PublicHandler' does not conform to the 'Sendable' protocol",
            ],
            "\(errors)"
        )
        #expect(errors.count == 2, "\(errors)")
    }

    @Test func `two handlers for one message do not compile`() throws {
        let source = self.source(
            """
            @Dispatcher struct AppDispatcher {
                let loadFeed: LoadFeedHandler
                let loadFeedAgain: any QueryHandler<LoadFeed> & Sendable
            }
            """
        )

        let diagnostics = try Compiler().diagnostics(of: source)

        let first = diagnostics.first { $0.severity == .error }
        #expect(first?.message == "invalid redeclaration of 'dispatch'")
        let place = diagnostics.first { $0.file == "Sample.swift" }
        #expect(place?.message.contains("in expansion of macro 'Dispatcher' on struct 'AppDispatcher' here") == true)
    }

    private static let unhandled =
        "'dispatch' is unavailable: AppDispatcher has no handler for this message. Add a property with one."

    /// Two messages with a handler and one without, in twelve lines.
    private func source(_ lines: String) -> String {
        """
        import DuetMacros
        struct LoadFeed: Query { typealias Value = [String] }
        struct PostComment: Command { let text: String }
        struct DeleteFeed: Command {}
        struct LoadFeedHandler: QueryHandler {
            func handle(_ query: LoadFeed) async throws -> [String] { ["a"] }
        }
        struct PostCommentHandler: CommandHandler {
            func handle(_ command: PostComment) async throws {}
        }


        \(lines)
        """
    }
}

import Testing

/// Compilation of `@Dispatcher` structs, with the compiler's own errors.
@Suite(.serialized)
struct DispatcherCompilationTests {
    @Test func `a message that nobody handles does not compile`() throws {
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
        #expect(errors.first?.message.contains("no exact matches in call to instance method 'dispatch'") == true)
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
        #expect(
            errors.first?.message.contains("cannot convert value of type 'DeleteFeed' to expected argument type")
                == true
        )
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

import DuetMacros
import Testing

/// Dispatch through `@Dispatcher` structs.
struct DispatcherUseTests {
    @Test func `each message reaches its handler`() async throws {
        let posts = Posts()
        let app = await AppDispatcher(posts)

        try await app.dispatch(Post(text: "first"))
        try await app.dispatch(Post(text: "second"))

        #expect(try await app.dispatch(Ints()) == [1, 2])
        #expect(try await app.dispatch(Strings()) == ["text"])
        #expect(try await app.dispatch(Count()) == 2)
        #expect(await posts.texts == ["first", "second"])
    }

    @Test func `the same handlers serve messages that are not known until run time`() async throws {
        let posts = Posts()
        let dispatcher: any Dispatcher = try await AppDispatcher(posts).dispatcher
        let messages: [any Command] = [Post(text: "first"), Post(text: "second")]

        for message in messages { try await dispatcher.dispatch(message) }

        #expect(await posts.texts == ["first", "second"])
        #expect(try await dispatcher.dispatch(Count()) == 2)
        #expect(try await dispatcher.dispatch(Ints()) == [1, 2])
    }

    @Test func `a handler's error reaches the caller unchanged`() async throws {
        let failing = FailingDispatcher(failing: FailingHandler())

        await #expect(throws: Failure()) { try await failing.dispatch(Fail()) }
    }

    @Test func `two messages that are the same at run time are rejected by the property`() throws {
        // The compiler treats `H.Message` and `Strings` as two types.
        let generic = PairDispatcher(generic: StringsHandler(text: "a"), strings: StringsHandler(text: "b"))

        #expect(throws: DispatchError.self) { try generic.dispatcher }
    }

    @Test func `an extension can dispatch every message, and handlers take precedence`() async throws {
        let open = OpenDispatcher(strings: StringsHandler(text: "a"))
        let existential: any Dispatcher = open

        #expect(try await open.dispatch(Strings()) == ["a"])
        #expect(try await existential.dispatch(Strings()) == ["a"])
        await #expect(throws: DispatchError.self) { try await open.dispatch(Fail()) }
    }

    @Test func `a dispatcher on the main actor dispatches there`() async throws {
        let posts = Posts()
        let main = await MainDispatcher(post: PostHandler(posts: posts), count: CountHandler(posts: posts))

        try await main.dispatch(Post(text: "first"))

        #expect(try await main.dispatch(Count()) == 1)
        #expect(try await main.dispatcher.dispatch(Count()) == 1)
    }

    @Test func `a container creates a dispatcher with its handlers`() async throws {
        let posts = Posts()
        let builder = ContainerBuilder()
        builder.singleton(Posts.self) { posts }
        builder.singleton(String.self) { "text" }
        builder.singleton(IntsHandler.self)
        builder.singleton((any QueryHandler<Strings> & Sendable).self, as: StringsHandler.self) { $0 }
        builder.singleton(PostHandler.self)
        builder.singleton(CountHandler.self)
        builder.singleton(AppDispatcher.self)
        let container = try builder.build()

        let app: AppDispatcher = try await container.resolve()
        try await app.dispatch(Post(text: "first"))

        #expect(try await app.dispatch(Count()) == 1)
        #expect(try await app.dispatch(Strings()) == ["text"])
    }
}

extension AppDispatcher {
    @MainActor fileprivate init(_ posts: Posts) {
        self.init(
            ints: IntsHandler(),
            strings: StringsHandler(text: "text"),
            post: PostHandler(posts: posts),
            count: CountHandler(posts: posts)
        )
    }
}

private struct Failure: Error, Equatable {}
private struct Fail: Command {}
private struct FailingHandler: CommandHandler {
    func handle(_ command: Fail) async throws { throw Failure() }
}

@Dispatcher
private struct FailingDispatcher {
    let failing: FailingHandler
}

@Dispatcher
private struct PairDispatcher<H: QueryHandler & Sendable> {
    let generic: H
    let strings: StringsHandler
}

@Dispatcher
private struct OpenDispatcher {
    let strings: StringsHandler
}

extension OpenDispatcher: Dispatcher {
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await dispatcher.dispatch(message)
    }
}

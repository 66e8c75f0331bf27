import Duet
import DuetDependencies
import Synchronization
import Testing

@Suite struct DispatchTests {
    private let journal = Journal()
    private let builder = ContainerBuilder()

    @Test func `messages reach handlers that are resolved per dispatch`() async throws {
        builder.singleton { [journal] in journal }
        builder.singleton((any Api).self) { LiveApi() }
        builder.handlers {
            RenameHandler.self
            GetNameHandler.self
        }
        let dispatcher = try await builder.build().dispatcher

        try await dispatcher.dispatch(Rename(name: "Ada"))

        #expect(try await dispatcher.dispatch(GetName()) == "live")
        #expect(journal.entries == ["rename Ada"])
    }

    @Test func `a message without a handler throws the error of every dispatcher`() async throws {
        builder.handlers {}
        let dispatcher = try await builder.build().dispatcher

        await #expect(throws: DispatchError.handlerNotFound(message: GetName.messageName)) {
            try await dispatcher.dispatch(GetName())
        }
        await #expect(throws: DispatchError.handlerNotFound(message: Rename.messageName)) {
            try await dispatcher.dispatch(Rename())
        }
    }

    @Test func `a type can depend on each half alone`() async throws {
        struct Writer: Sendable { let dispatcher: any CommandDispatcher }
        struct Reader: Sendable { let dispatcher: any QueryDispatcher }
        builder.singleton { [journal] in journal }
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton { (dispatcher: any CommandDispatcher) in Writer(dispatcher: dispatcher) }
        builder.transient { (dispatcher: any QueryDispatcher) in Reader(dispatcher: dispatcher) }
        builder.handlers {
            RenameHandler.self
            GetNameHandler.self
        }
        let container = try builder.build()

        try await container.resolve(Writer.self).dispatcher.dispatch(Rename(name: "Ada"))

        #expect(try await container.resolve(Reader.self).dispatcher.dispatch(GetName()) == "live")
        #expect(journal.entries == ["rename Ada"])
    }

    @Test func `a handler has the lifetime of its registration`() async throws {
        let made = Counting()
        builder.singleton { CountedHandler(number: made.next()) }
        builder.handlers { CountedHandler.self }
        let dispatcher: any QueryDispatcher = try await builder.build().resolve()

        for _ in 0..<3 { #expect(try await dispatcher.dispatch(GetNumber()) == 1) }

        builder.replacing.transient { CountedHandler(number: made.next()) }
        let other: any QueryDispatcher = try await builder.build().resolve()
        #expect(try await other.dispatch(GetNumber()) == 2)
        #expect(try await other.dispatch(GetNumber()) == 3)
    }

    @Test func `each dispatch has its own scope, which ends with it`() async throws {
        registerWork { _ in }
        let dispatcher: any CommandDispatcher = try await builder.build().resolve()

        try await dispatcher.dispatch(Work())
        try await dispatcher.dispatch(Work())

        let once = ["make connection", "make transaction", "work", "dispose transaction", "dispose connection"]
        #expect(journal.entries == once + once)
    }

    @Test func `the scope ends when the handler throws`() async throws {
        registerWork { _ in throw Broken() }
        let dispatcher: any CommandDispatcher = try await builder.build().resolve()

        await #expect(throws: Broken.self) { try await dispatcher.dispatch(Work()) }

        #expect(journal.entries.suffix(2) == ["dispose transaction", "dispose connection"])
    }

    @Test func `the scope ends when the handler is canceled, and its disposal is not canceled`() async throws {
        registerWork { _ in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try Task.checkCancellation()
        }
        let dispatcher: any CommandDispatcher = try await builder.build().resolve()

        await Task { [dispatcher] in
            _ = await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(Work()) }
        }.value

        #expect(journal.entries.suffix(2) == ["dispose transaction", "dispose connection"])
    }

    @Test func `a message that a handler dispatches has its own scope`() async throws {
        registerWork { dispatcher in try await dispatcher.dispatch(Rename(name: "Ada")) }
        builder.singleton { [journal] in journal }
        builder.handlers { RenameInConnectionHandler.self }
        let dispatcher: any CommandDispatcher = try await builder.build().resolve()

        try await dispatcher.dispatch(Work())

        #expect(
            journal.entries == [
                "make connection", "make transaction", "work", "make connection", "rename Ada", "dispose connection",
                "dispose transaction", "dispose connection",
            ]
        )
    }

    @Test func `an override of a request applies to messages that are dispatched in it, to any depth`() async throws {
        registerWork { dispatcher in try await dispatcher.dispatch(Rename(name: "Ada")) }
        builder.singleton { [journal] in journal }
        builder.handlers { RenameInConnectionHandler.self }
        let container = try builder.build()
        let other = Journal()

        try await container.withScope(overriding: Override { other }) { scope in
            try await scope.resolve((any CommandDispatcher).self).dispatch(Work())
        }

        #expect(other.entries == ["rename Ada"])
        #expect(!journal.entries.contains("rename Ada"))
    }

    @Test func `an override of a request applies to a handler without scoped dependencies`() async throws {
        builder.singleton((any Api).self) { LiveApi() }
        builder.handlers { GetNameHandler.self }
        let container = try builder.build()
        let dispatcher: any QueryDispatcher = try await container.resolve()

        try await container.withScope(overriding: Override((any Api).self) { LiveApi(name: "fake") }) { scope in
            let overridden: any QueryDispatcher = try await scope.resolve()
            #expect(try await overridden.dispatch(GetName()) == "fake")
            #expect(try await dispatcher.dispatch(GetName()) == "live")
        }
    }

    @Test func `middleware wraps every dispatch, including those of handlers`() async throws {
        registerWork { dispatcher in try await dispatcher.dispatch(Rename(name: "Ada")) }
        builder.singleton { [journal] in journal }
        let logged = Journal()
        builder.handlers { RenameHandler.self }
        builder.middleware(
            LoggingMiddleware { logged.note("outer \($0.message)") },
            LoggingMiddleware { logged.note("inner \($0.message)") }
        )
        let dispatcher: any CommandDispatcher = try await builder.build().resolve()

        try await dispatcher.dispatch(Work())

        #expect(
            logged.entries == [Rename.messageName, Work.messageName].flatMap { ["inner \($0)", "outer \($0)"] }
        )
    }

    @Test func `a custom dispatcher is registered like any other type`() async throws {
        struct Deaf: Dispatcher {
            func dispatch<M: Message>(_ message: M) async throws -> M.Value { throw Broken() }
        }
        builder.singleton((any Dispatcher).self) { Deaf() }
        let container = try builder.build()

        #expect(try await container.resolve((any Dispatcher).self) is Deaf)
        #expect(try await container.resolve((any CommandDispatcher).self) is Deaf)
        await #expect(throws: Broken.self) {
            try await container.resolve((any QueryDispatcher).self).dispatch(GetName())
        }
    }

    @Test func `two dispatchers are a fault`() {
        builder.singleton((any Dispatcher).self) { try StandardDispatcher {} }
        builder.handlers {}

        let error = #expect(throws: InvalidContainer.self) { try builder.build() }

        #expect(error?.problems.count == 1)
        #expect(error?.description.contains("- Dispatcher is registered more than once: ") == true)
    }

    @Test func `a handler may be isolated to the main actor`() async throws {
        builder.transient { @MainActor in ScreenHandler(screen: Screen()) }
        builder.handlers { ScreenHandler.self }
        let dispatcher: any QueryDispatcher = try await builder.build().resolve()

        let title = try await dispatcher.dispatch(GetTitle())

        await MainActor.run { #expect(title.text == "Title") }
    }

    @Test func `a handler and its value need not be sendable`() async throws {
        struct GetCounter: Query { typealias Value = Counter }
        final class Handler: QueryHandler, Resolvable {
            let counter = Counter()
            static var dependencies: [ResolvedDependency] { [] }
            init(from scope: Scope) async throws {}
            func handle(_ query: GetCounter) async throws -> Counter {
                counter.count += 1
                return counter
            }
        }
        builder.handlers { Handler.self }
        let dispatcher: any QueryDispatcher = try await builder.build().resolve()

        let first = try await dispatcher.dispatch(GetCounter())
        let second = try await dispatcher.dispatch(GetCounter())

        #expect(first.count == 1 && second.count == 1)
        #expect(first !== second)
    }

    @Test func `a handler may need an optional collection of scoped values`() async throws {
        struct Handler: QueryHandler, Resolvable {
            let sessions: [Session]?
            static var dependencies: [ResolvedDependency] { [ResolvedDependency([Session]?.self)] }
            init(from scope: Scope) async throws { sessions = try await scope.resolve() }
            func handle(_ query: GetNumber) async throws -> Int { sessions?.count ?? 0 }
        }
        builder.scoped { Session() }
        builder.handlers { Handler.self }
        let dispatcher: any QueryDispatcher = try await builder.build().resolve()

        #expect(try await dispatcher.dispatch(GetNumber()) == 1)
    }

    @Test func `a singleton that stores the dispatcher does not keep the container alive`() async throws {
        final class Poller: Sendable {
            let dispatcher: any Dispatcher
            init(dispatcher: any Dispatcher) { self.dispatcher = dispatcher }
        }
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton { Session() }
        builder.singleton { (dispatcher: any Dispatcher, _: Session) in Poller(dispatcher: dispatcher) }
        builder.handlers { GetNameHandler.self }
        var container: Container? = try builder.build()
        let poller = try await container?.resolve(Poller.self)
        weak let session = try await container?.resolve(Session.self)
        #expect(try await poller?.dispatcher.dispatch(GetName()) == "live")
        #expect(session != nil)

        container = nil

        #expect(session == nil)
        await #expect(throws: ResolutionError.self) { try await poller?.dispatcher.dispatch(GetName()) }
    }
}

extension DispatchTests {
    private struct Work: Command {}

    private struct WorkHandler: CommandHandler {
        let work: @Sendable () async throws -> Void
        func handle(_ command: Work) async throws { try await work() }
    }

    private struct RenameInConnectionHandler: CommandHandler, Resolvable {
        let journal: Journal
        static var dependencies: [ResolvedDependency] {
            [ResolvedDependency(Journal.self), ResolvedDependency(Resource.self, named: "connection")]
        }
        init(from scope: Scope) async throws {
            journal = try await scope.resolve()
            _ = try await scope.resolve(Resource.self, named: "connection")
        }
        func handle(_ command: Rename) async throws { journal.note("rename \(command.name)") }
    }

    private struct GetNumber: Query { typealias Value = Int }

    private struct CountedHandler: QueryHandler {
        let number: Int
        func handle(_ query: GetNumber) async throws -> Int { number }
    }

    private final class Counting: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Registers a handler that works in a transaction, which needs a connection; both are scoped.
    private func registerWork(_ work: @escaping @Sendable (any CommandDispatcher) async throws -> Void) {
        builder.scoped(named: "connection") { [journal] in Resource("connection", journal) }
        builder.scoped { [journal] scope in
            _ = try await scope.resolve(Resource.self, named: "connection")
            return Resource("transaction", journal)
        }
        builder.transient { [journal] (dispatcher: any CommandDispatcher, _: Resource) in
            WorkHandler {
                journal.note("work")
                try await work(dispatcher)
            }
        }
        builder.handlers { WorkHandler.self }
    }
}

@MainActor private final class Screen {
    let text = "Title"
}

private struct GetTitle: Query { typealias Value = Screen }

@MainActor private final class ScreenHandler: QueryHandler {
    let screen: Screen

    init(screen: Screen) {
        self.screen = screen
    }

    @MainActor func handle(_ query: GetTitle) async throws -> Screen { screen }
}

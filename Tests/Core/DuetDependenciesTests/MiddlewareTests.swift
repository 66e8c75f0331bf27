import Duet
import DuetDependencies
import Testing

/// Middleware that the container creates.
@Suite struct MiddlewareTests {
    /// Notes messages in a journal that is registered.
    private struct Noting: Middleware {
        let name: String
        let journal: Journal

        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            journal.note("\(name) \(M.messageName)")
            return try await next.dispatch(message)
        }
    }

    private struct RenameTwice: Command {}

    private struct RenameTwiceHandler: CommandHandler {
        let dispatcher: any CommandDispatcher

        func handle(_ command: RenameTwice) async throws {
            for name in ["Ada", "Grace"] { try await dispatcher.dispatch(Rename(name: name)) }
        }
    }

    private let journal = Journal()
    private let builder = ContainerBuilder()

    private func registerHandlers() {
        builder.singleton((any Api).self) { LiveApi() }
        builder.transient { RenameTwiceHandler(dispatcher: $0) }
        builder.handlers {
            GetNameHandler.self
            RenameHandler.self
            RenameTwiceHandler.self
        }
    }

    @Test func `it receives its dependencies and also wraps the messages of handlers`() async throws {
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.middleware { (journal: Journal) in Noting(name: "noted", journal: journal) }
        let dispatcher = try await builder.build().dispatcher

        try await dispatcher.dispatch(RenameTwice())

        #expect(
            journal.entries == [
                "noted \(RenameTwice.messageName)", "noted \(Rename.messageName)", "rename Ada",
                "noted \(Rename.messageName)", "rename Grace",
            ]
        )
    }

    @Test func `it is created once, wherever a message is dispatched`() async throws {
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.middleware { (journal: Journal) in
            journal.note("made")
            return Noting(name: "noted", journal: journal)
        }
        let container = try builder.build()

        for _ in 1...2 { _ = try await container.dispatcher.dispatch(GetName()) }
        _ = try await container.withScope { scope in try await scope.dispatcher.dispatch(GetName()) }

        #expect(journal.entries.filter { $0 == "made" }.count == 1)
        #expect(journal.entries.count == 4)
    }

    @Test func `layers of one type keep their order, also among instances`() async throws {
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.middleware { (journal: Journal) in Noting(name: "first", journal: journal) }
        builder.middleware(LoggingMiddleware { [journal] _ in journal.note("second") })
        builder.middleware { (journal: Journal) in Noting(name: "third", journal: journal) }

        _ = try await builder.build().dispatcher.dispatch(GetName())

        #expect(journal.entries == ["first \(GetName.messageName)", "third \(GetName.messageName)", "second"])
    }

    @Test func `the layers of a module that is registered first are outside of those of later modules`() async throws {
        struct Module: ContainerModule {
            let name: String
            let journal: Journal

            func register(in builder: ContainerBuilder) {
                builder.middleware(Noting(name: "\(name) 1", journal: journal))
                builder.middleware(Noting(name: "\(name) 2", journal: journal))
            }
        }
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.install(Module(name: "telemetry", journal: journal))
        builder.install(Module(name: "feature", journal: journal))

        _ = try await builder.build().dispatcher.dispatch(GetName())

        let names = ["telemetry 1", "telemetry 2", "feature 1", "feature 2"]
        #expect(journal.entries == names.map { "\($0) \(GetName.messageName)" })
    }

    @Test func `middleware is a fault if another dispatcher is registered`() {
        builder.middleware(ValidationMiddleware())
        builder.singleton((any Dispatcher).self) { try StandardDispatcher {} }
        let error = #expect(throws: InvalidContainer.self) { try builder.build() }
        #expect(error?.description.contains("Dispatcher is registered more than once") == true)
    }

    @Test func `it does not run after the container has ended`() async throws {
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.middleware { (journal: Journal) in Noting(name: "noted", journal: journal) }
        let container = try builder.build()
        let dispatcher = try await container.dispatcher
        _ = try await dispatcher.dispatch(GetName())
        await container.dispose()

        await #expect(throws: ResolutionError.self) { try await dispatcher.dispatch(GetName()) }
        #expect(journal.entries == ["noted \(GetName.messageName)"])
    }

    @Test func `its dependencies must be registered`() {
        registerHandlers()
        builder.middleware { (journal: Journal) in Noting(name: "noted", journal: journal) }

        let error = #expect(throws: InvalidContainer.self) { try builder.build() }
        #expect(error?.description.contains("Noting \"middleware 1\" → Journal: not registered") == true)
    }

    @Test func `a layer that would keep a scoped value is refused`() {
        registerHandlers()
        builder.scoped { [journal] in journal }
        builder.middleware { (journal: Journal) in Noting(name: "noted", journal: journal) }

        let error = #expect(throws: InvalidContainer.self) { try builder.build() }
        guard case .captive(let path, let locations)? = error?.problems.last else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path == ["Noting \"middleware 1\"", "Journal"])
        #expect(locations.count == 2)
        #expect(error?.description.contains("whose message it dispatches to `next`") == true)
    }

    @Test func `a layer and what it needs may keep a dispatcher`() async throws {
        /// Asks for the name once in each message, also of one that a singleton dispatches.
        struct Asking: Middleware {
            let journal: Journal
            let dispatcher: any QueryDispatcher

            func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
                if M.self is any Command.Type {
                    journal.note("asked \(try await dispatcher.dispatch(GetName()))")
                }
                return try await next.dispatch(message)
            }
        }
        registerHandlers()
        builder.singleton { [journal] (_: any QueryDispatcher) in journal }
        builder.middleware { (journal: Journal) in Noting(name: "outside", journal: journal) }
        builder.middleware { (journal: Journal, dispatcher: any QueryDispatcher) in
            Asking(journal: journal, dispatcher: dispatcher)
        }
        try await builder.build().dispatcher.dispatch(Rename(name: "Ada"))

        let (command, query) = (Rename.messageName, GetName.messageName)
        #expect(journal.entries == ["outside \(command)", "outside \(query)", "asked live", "rename Ada"])
    }

    @Test func `the first message of a singleton passes through the layers`() async throws {
        final class Poller: Sendable {
            let dispatcher: any Dispatcher
            init(dispatcher: any Dispatcher) { self.dispatcher = dispatcher }
        }
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.singleton { (dispatcher: any Dispatcher) in Poller(dispatcher: dispatcher) }
        builder.middleware { (journal: Journal) in Noting(name: "noted", journal: journal) }
        let container = try builder.build()

        #expect(try await container.resolve(Poller.self).dispatcher.dispatch(GetName()) == "live")

        #expect(journal.entries == ["noted \(GetName.messageName)"])
    }

    @Test func `a layer whose creation needs the layers is a cycle`() async throws {
        registerHandlers()
        builder.singleton { [journal] (queries: any QueryDispatcher) in
            _ = try await queries.dispatch(GetName())
            return journal
        }
        builder.middleware { (journal: Journal) in Noting(name: "noted", journal: journal) }
        let container = try builder.build()

        let error = await #expect(throws: ResolutionError.self) { try await container.dispatcher }
        guard case .cycle? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `overrides of a scope hold behind the layers, also for the messages of handlers`() async throws {
        struct GetNames: Query {
            typealias Value = [String]
        }
        struct GetNamesHandler: QueryHandler {
            let dispatcher: any QueryDispatcher
            let api: any Api

            func handle(_ query: GetNames) async throws -> [String] {
                [api.name, try await dispatcher.dispatch(GetName())]
            }
        }
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.transient { GetNamesHandler(dispatcher: $0, api: $1) }
        builder.middleware { (journal: Journal, _: any Api) in Noting(name: "noted", journal: journal) }
        builder.handlers { GetNamesHandler.self }
        let container = try builder.build()

        let override = Override((any Api).self) { LiveApi(name: "fake") }
        let names = try await container.withScope(overriding: override) { scope in
            try await scope.dispatcher.dispatch(GetNames())
        }
        #expect(names == ["fake", "fake"])
        #expect(try await container.dispatcher.dispatch(GetNames()) == ["live", "live"])
        #expect(journal.entries.count == 4)
    }

    @Test func `a dispatcher is not resolved if it could not be created`() async throws {
        struct Broken: Error {}
        registerHandlers()
        builder.singleton { [journal] in journal }
        builder.middleware { () async throws -> Noting in throw Broken() }
        let container = try builder.build()

        let error = await #expect(throws: ResolutionError.self) { try await container.dispatcher }
        #expect(error?.path == ["Dispatcher", "Noting \"middleware 1\""])
    }

    @Test func `the Lambdaspire names do the same`() async throws {
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton { [journal] in journal }
        builder.commandQueryDispatch().standard(
            commandHandlers: [RenameHandler.self],
            queryHandlers: [GetNameHandler.self],
            middleware: [LoggingMiddleware { [journal] _ in journal.note("logged") }]
        )
        let dispatcher = try await builder.build().dispatcher

        try await dispatcher.dispatch(Rename(name: "Ada"))
        #expect(try await dispatcher.dispatch(GetName()) == "live")

        #expect(journal.entries == ["rename Ada", "logged", "logged"])
    }
}

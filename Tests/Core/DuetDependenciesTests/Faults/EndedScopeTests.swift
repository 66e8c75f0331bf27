import Duet
import DuetDependencies
import DuetTesting
import Testing

/// Use of scopes and containers after their end.
@Suite(.timeLimit(.minutes(5)))
struct EndedScopeTests {
    private let leaks = LeakTracker()
    private let journal = Journal()

    @Test(arguments: Lifetime.allCases)
    func `nothing is resolved in a scope that has ended, created before or not`(lifetime: Lifetime) async throws {
        try await withContainer(of: sessionModule(lifetime)) { container in
            let scope = container.makeScope()
            _ = try await scope.resolve(Session.self)
            await scope.dispose()
            let unused = container.makeScope()
            await unused.dispose()
            for scope in [scope, unused] { try await expectEnded(scope) }
        }
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test(arguments: Lifetime.allCases)
    func `nothing is resolved from a container that was disposed of, nor in its scopes`(
        lifetime: Lifetime
    ) async throws {
        try await withContainer(of: sessionModule(lifetime)) { container in
            let open = container.makeScope()
            let overridden = try container.makeScope(overriding: Override { Session() })
            _ = try await open.resolve(Session.self)
            await container.dispose()
            for scope in [open, overridden, container.makeScope(), open.makeScope()] { try await expectEnded(scope) }
            let error = await #expect(throws: ResolutionError.self) { try await container.resolve(Session.self) }
            #expect(error?.path == ["Session"])
            #expect(error?.saysScopeEnded == true)
        }
        #expect(leaks.alive == [])
    }

    @Test(arguments: Lifetime.allCases)
    func `nothing is dispatched in a scope that has ended, handled before or not`(lifetime: Lifetime) async throws {
        try await withContainer(of: handlerModule(lifetime)) { container in
            let scope = container.makeScope()
            let dispatcher = try await scope.dispatcher
            _ = try await dispatcher.dispatch(GetName())
            try await dispatcher.dispatch(Rename())
            await scope.dispose()
            try await expectEnded(dispatcher)

            let unused = container.makeScope()
            let other: any Dispatcher = try await unused.resolve()
            await unused.dispose()
            try await expectEnded(other)
        }
        #expect(journal.entries == ["query", "command"])
    }

    @Test(arguments: Lifetime.allCases)
    func `nothing is dispatched by a container that was disposed of`(lifetime: Lifetime) async throws {
        try await withContainer(of: handlerModule(lifetime)) { container in
            let dispatcher = try await container.dispatcher
            let held = try await container.resolve(Holder.self).dispatcher
            let scope = container.makeScope()
            let inScope: any Dispatcher = try await scope.resolve()
            for dispatcher in [dispatcher, held, inScope] { _ = try await dispatcher.dispatch(GetName()) }
            await container.dispose()
            for dispatcher in [dispatcher, held, inScope] { try await expectEnded(dispatcher) }
        }
        #expect(journal.entries == ["query", "query", "query"])
    }

    @Test
    func `a dispatcher of a released container reports that`() async throws {
        let builder = ContainerBuilder()
        handlerModule(.singleton).register(in: builder)
        var container: Container? = try builder.build()
        let held = try #require(try await container?.resolve(Holder.self).dispatcher)
        container = nil
        try await expectEnded(held)
    }
}

extension EndedScopeTests {
    private struct Holder: Sendable {
        let dispatcher: any Dispatcher
    }

    private struct NotingHandler: QueryHandler, Sendable {
        let journal: Journal

        func handle(_ query: GetName) async throws -> String {
            journal.note("query")
            return ""
        }
    }

    private struct NotingCommandHandler: CommandHandler, Sendable {
        let journal: Journal

        func handle(_ command: Rename) async throws { journal.note("command") }
    }

    private func sessionModule(_ lifetime: Lifetime) -> Registrations {
        Registrations { builder in
            builder.register(lifetime) { [leaks] in leaks.track(Session()) }
        }
    }

    private func handlerModule(_ lifetime: Lifetime) -> Registrations {
        Registrations { builder in
            builder.register(lifetime) { [journal] in NotingHandler(journal: journal) }
            builder.register(lifetime) { [journal] in NotingCommandHandler(journal: journal) }
            builder.singleton { (dispatcher: any Dispatcher) in Holder(dispatcher: dispatcher) }
            builder.handlers {
                NotingCommandHandler.self
                NotingHandler.self
            }
        }
    }

    /// Expects every way to resolve from a scope to fail.
    private func expectEnded(_ scope: Scope) async throws {
        let ways: [() async throws -> Void] = [
            { _ = try await scope.resolve(Session.self) }, { _ = try await scope.resolve(Session?.self) },
            { _ = try await scope.resolve(Session?.self) }, { _ = try await scope.resolve([Session].self) },
            { _ = try await scope.resolve(Session.self, named: .replica) },
            { _ = try await scope.resolve(Scope.self) },
        ]
        for way in ways {
            let error = await #expect(throws: ResolutionError.self) { try await way() }
            #expect(error?.saysScopeEnded == true)
        }
        let error = await #expect(throws: ResolutionError.self) { try await scope.resolve(Session.self) }
        #expect(
            error?.description == """
                Session: the scope, or the container, has ended. Resolve or dispatch it before that, or in a scope that \
                lives long enough.
                """
        )
    }

    private func expectEnded(_ dispatcher: any Dispatcher) async throws {
        let query = await #expect(throws: ResolutionError.self) { _ = try await dispatcher.dispatch(GetName()) }
        #expect(query?.path == [GetName.messageName])
        #expect(query?.saysScopeEnded == true)
        let command = await #expect(throws: ResolutionError.self) { try await dispatcher.dispatch(Rename()) }
        #expect(command?.path == [Rename.messageName])
        #expect(command?.saysScopeEnded == true)
    }
}

import Duet
import DuetDependencies
import DuetTesting
import Testing

/// Factories that throw.
@Suite(.timeLimit(.minutes(5)))
struct FactoryFaultTests {
    private let leaks = LeakTracker()
    private let journal = Journal()
    private let tries = Tries()

    @Test(arguments: Lifetime.allCases)
    func `a factory's error is reported with its path, nothing is kept, and the next task tries again`(
        lifetime: Lifetime
    ) async throws {
        let module = Registrations { builder in
            builder.register(lifetime) { [leaks, tries] in
                let session = leaks.track(Session())
                if tries.next() == 1 { throw Refused() }
                return session
            }
            builder.transient(Client.self)
            builder.transient { (client: Client) in Page(client: client) }
        }
        try await withContainer(of: module) { [leaks] container in
            try await container.withScope { scope in
                let error = await #expect(throws: ResolutionError.self) { try await scope.resolve(Page.self) }
                #expect(error?.path == ["Page", "Client", "Session"])
                #expect(error?.cause as? Refused == Refused())
                #expect(
                    error?.description == """
                        Page → Client → Session: could not be created: The server refused the password. Set another one.
                        """
                )
                #expect(leaks.alive == [])

                _ = try await scope.resolve(Page.self)
            }
        }
        #expect(tries.count == 2)
        #expect(leaks.count == 2)
        #expect(leaks.alive == [])
    }

    @Test(arguments: [Lifetime.scoped, .singleton])
    func `values created before the failure are kept and disposed of once`(lifetime: Lifetime) async throws {
        let module = Registrations { builder in
            builder.register(lifetime) { [leaks, journal] in leaks.track(Resource("connection", journal)) }
            builder.register(lifetime) { (scope: Scope) -> Client in
                _ = try await scope.resolve(Resource.self)
                throw Broken()
            }
        }
        try await withContainer(of: module) { [journal] container in
            try await container.withScope { scope in
                for _ in 0..<2 {
                    await #expect(throws: ResolutionError.self) { try await scope.resolve(Client.self) }
                }
                #expect(journal.entries == ["make connection"])
            }
        }
        #expect(journal.entries == ["make connection", "dispose connection"])
        #expect(leaks.alive == [])
    }

    @Test @MainActor
    func `all waiting tasks receive the error of the one attempt, each with its own path`() async throws {
        let mayFail = Gate()
        let hasBegun = Gate()
        let module = Registrations { builder in
            builder.singleton { [leaks, tries] in
                let session = leaks.track(Session())
                if tries.next() > 1 { return session }
                hasBegun.open()
                try await mayFail.pass()
                throw Broken()
            }
            builder.transient(Client.self)
        }
        try await withContainer(of: module) { container in
            let wait: @MainActor @Sendable () async -> [String] = { await path(of: Client.self, in: container) }
            let paths = await withTaskGroup(of: [String].self) { group in
                group.addTask { await path(of: Session.self, in: container) }
                try? await hasBegun.pass()
                for _ in 0..<3 { group.addTask(operation: wait) }
                await MainActor.queueHasRun()
                mayFail.open()
                return await group.all()
            }
            #expect(paths.filter { $0 == ["Session"] }.count == 1)
            #expect(paths.filter { $0 == ["Client", "Session"] }.count == 3)
            #expect(tries.count == 1)
            _ = try await container.resolve(Client.self)
            #expect(tries.count == 2)
        }
        #expect(leaks.alive == [])
    }

    @Test
    func `a dispatch whose handler cannot be created reports why, and disposes of its values`() async throws {
        let module = Registrations { builder in
            builder.scoped { [leaks, journal] in leaks.track(Resource("connection", journal)) }
            builder.transient((any Api).self) { () -> any Api in throw Refused() }
            builder.transient { (_: Resource, api: any Api) in NeedyHandler(api: api) }
            builder.handlers { NeedyHandler.self }
        }
        try await withContainer(of: module) { [journal] container in
            let dispatcher: any QueryDispatcher = try await container.resolve()
            let error = await #expect(throws: ResolutionError.self) { try await dispatcher.dispatch(GetName()) }
            #expect(error?.path == ["NeedyHandler", "Api"])
            #expect(error?.cause as? Refused == Refused())
            #expect(journal.entries == ["make connection", "dispose connection"])
        }
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test
    func `a handler's error is not mistaken for a fault of the container`() async throws {
        let module = Registrations { builder in
            builder.transient { FailingHandler() }
            builder.handlers { FailingHandler.self }
        }
        try await withContainer(of: module) { container in
            let dispatcher: any QueryDispatcher = try await container.resolve()
            await #expect(throws: Refused()) { try await dispatcher.dispatch(GetName()) }
        }
    }
}

extension FactoryFaultTests {
    private struct Refused: Error, Equatable, CustomStringConvertible {
        var description: String { "The server refused the password. Set another one." }
    }

    private struct Page {
        let client: Client
    }

    private struct NeedyHandler: QueryHandler {
        let api: any Api

        func handle(_ query: GetName) async throws -> String { api.name }
    }

    private struct FailingHandler: QueryHandler {
        func handle(_ query: GetName) async throws -> String { throw Refused() }
    }
}

private func path<T>(of type: T.Type, in container: Container) async -> [String] {
    do {
        _ = try await container.resolve(type)
        return []
    } catch {
        return (error as? ResolutionError)?.path ?? ["\(error)"]
    }
}

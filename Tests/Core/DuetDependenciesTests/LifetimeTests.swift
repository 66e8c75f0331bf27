import DuetDependencies
import Testing

@Suite struct LifetimeTests {
    @Test func `a transient is created each time`() async throws {
        let builder = ContainerBuilder()
        builder.transient { Session() }
        let container = try builder.build()

        let first: Session = try await container.resolve()
        let second: Session = try await container.resolve()

        #expect(first !== second)
    }

    @Test func `a scoped value is created once in each scope`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { Session() }
        let container = try builder.build()
        let scope = container.makeScope()
        let other = container.makeScope()
        let inner = scope.makeScope()

        let first: Session = try await scope.resolve()

        #expect(try await scope.resolve(Session.self) === first)
        #expect(try await other.resolve(Session.self) !== first)
        #expect(try await inner.resolve(Session.self) !== first)
        for scope in [scope, other, inner] { await scope.dispose() }
    }

    @Test func `a singleton is created once, wherever it is resolved`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        let container = try builder.build()
        let scope = container.makeScope()

        let first: Session = try await scope.resolve()

        #expect(try await container.resolve(Session.self) === first)
        #expect(try await container.makeScope().resolve(Session.self) === first)
        await scope.dispose()
        #expect(try await container.resolve(Session.self) === first)
    }

    @Test func `two containers of one builder share nothing`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }

        let first = try await builder.build().resolve(Session.self)
        let second = try await builder.build().resolve(Session.self)

        #expect(first !== second)
    }

    @Test func `nothing is created before it is resolved`() async throws {
        let journal = Journal()
        let builder = ContainerBuilder()
        builder.singleton { Resource("singleton", journal) }

        let container = try builder.build()
        #expect(journal.entries == [])

        _ = try await container.resolve(Resource.self)
        #expect(journal.entries == ["make singleton"])
    }

    @Test func `a scoped value cannot be resolved outside a scope`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { Session() }
        let container = try builder.build()

        let error = await #expect(throws: ResolutionError.self) { try await container.resolve(Session.self) }

        #expect(
            error?.description == """
                Session: scoped, but resolved outside a scope. Resolve it in container.withScope { … }. A singleton \
                cannot have it, and a hand-written Resolvable type must list it in its dependencies.
                """
        )
    }

    @Test func `a long chain of dependencies is created`() async throws {
        let builder = ContainerBuilder()
        let length = 1000
        builder.scoped(named: "0") { 0 }
        for index in 1...length {
            builder.scoped(named: DependencyName("\(index)")) { scope in
                try await scope.resolve(Int.self, named: DependencyName("\(index - 1)")) + 1
            }
        }

        let last = try await builder.build().withScope { scope in
            try await scope.resolve(Int.self, named: DependencyName("\(length)"))
        }

        #expect(last == length)
    }

    @Test func `a factory that fails because its task was canceled fails for no other task`() async throws {
        let journal = Journal()
        let isMaking = Later<Void>()
        let isCancelled = Later<Void>()
        let builder = ContainerBuilder()
        builder.singleton {
            journal.note("make")
            guard journal.entries.count == 1 else { return Session() }
            isMaking.set(())
            await isCancelled.value()
            // A network client, for example, throws its own error for a cancellation.
            if Task.isCancelled { throw Broken() }
            return Session()
        }
        let container = try builder.build()
        let first = Task { try await container.resolve(Session.self) }
        await isMaking.value()
        let second = Task { @MainActor in try await container.resolve(Session.self) }
        // The main actor is free again, so the second task is waiting.
        await Task { @MainActor in }.value

        first.cancel()
        isCancelled.set(())

        await #expect(throws: ResolutionError.self) { try await first.value }
        _ = try await second.value
        #expect(journal.entries == ["make", "make"])
    }
}

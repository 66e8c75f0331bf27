import DuetDependencies
import Testing

@Suite struct ScopeTests {
    private let journal = Journal()

    @Test func `a scope disposes of its values in reverse order`() async throws {
        let container = try container()

        try await container.withScope { scope in
            _ = try await scope.resolve(Work.self)
            journal.note("work")
        }

        #expect(
            journal.entries == [
                "make connection", "make transaction", "work", "dispose transaction", "dispose connection",
            ]
        )
    }

    @Test func `a scope ends when its body throws`() async throws {
        let container = try container()

        await #expect(throws: Broken.self) {
            try await container.withScope { scope in
                _ = try await scope.resolve(Work.self)
                throw Broken()
            }
        }

        #expect(journal.entries.suffix(2) == ["dispose transaction", "dispose connection"])
    }

    @Test func `ending a scope twice disposes once`() async throws {
        let scope = try container().makeScope()
        _ = try await scope.resolve(Work.self)

        await scope.dispose()
        await scope.dispose()

        #expect(journal.entries.filter { $0.hasPrefix("dispose") }.count == 2)
    }

    @Test func `a scope does not dispose of singletons and transients`() async throws {
        let builder = ContainerBuilder()
        builder.singleton(named: "singleton") { [journal] in Resource("singleton", journal) }
        builder.transient(named: "transient") { [journal] in Resource("transient", journal) }
        let container = try builder.build()

        try await container.withScope { scope in
            _ = try await scope.resolve(Resource.self, named: "singleton")
            _ = try await scope.resolve(Resource.self, named: "transient")
        }
        #expect(journal.entries == ["make singleton", "make transient"])

        await container.dispose()
        #expect(journal.entries == ["make singleton", "make transient", "dispose singleton"])
    }

    @Test func `a container disposes of its singletons in reverse order`() async throws {
        let builder = ContainerBuilder()
        builder.singleton(named: "first") { [journal] in Resource("first", journal) }
        builder.singleton(named: "second") { [journal] in Resource("second", journal) }
        let container = try builder.build()
        _ = try await container.resolve(Resource.self, named: "second")
        _ = try await container.resolve(Resource.self, named: "first")

        await container.dispose()
        await container.dispose()

        #expect(journal.entries.suffix(2) == ["dispose first", "dispose second"])
        #expect(journal.entries.count == 4)
    }

    @Test func `an object that two contracts share is disposed of once`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { [journal] in Resource("shared", journal) }
        builder.scoped((any Disposable).self) { (resource: Resource) in resource }

        try await builder.build().withScope { scope in _ = try await scope.resolve((any Disposable).self) }

        #expect(journal.entries == ["make shared", "dispose shared"])
    }

    @Test func `a scope does not dispose of an object that lives longer, even if a scoped factory returned it`()
        async throws
    {
        let builder = ContainerBuilder()
        builder.singleton(named: "singleton") { [journal] in Resource("singleton", journal) }
        builder.singleton { [journal] in Resource("original", journal) }
        builder.scoped((any Disposable).self) { (resource: Resource) in resource }
        builder.scoped((any Disposable).self, named: "singleton") { scope in
            try await scope.resolve(Resource.self, named: "singleton")
        }
        let container = try builder.build()
        let outer = try container.makeScope(overriding: Override { [journal] in Resource("override", journal) })

        try await outer.withScope { scope in _ = try await scope.resolve([any Disposable].self) }
        #expect(journal.entries == ["make override", "make singleton"])

        await outer.dispose()
        await container.dispose()
        #expect(journal.entries.suffix(2) == ["dispose override", "dispose singleton"])
    }

    @Test func `an override applies in its scope and in scopes within it, and nowhere else`() async throws {
        struct Screen { let api: any Api }
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.transient { (api: any Api) in Screen(api: api) }
        let container = try builder.build()
        let scope = try container.makeScope(overriding: Override((any Api).self) { LiveApi(name: "fake") })
        let inner = scope.makeScope()
        let innermost = try inner.makeScope(overriding: Override((any Api).self) { LiveApi(name: "fakest") })

        #expect(try await container.resolve(Screen.self).api.name == "live")
        #expect(try await scope.resolve(Screen.self).api.name == "fake")
        #expect(try await inner.resolve(Screen.self).api.name == "fake")
        #expect(try await innermost.resolve(Screen.self).api.name == "fakest")
    }

    @Test func `an override is created once in its scope and disposed of with it`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        builder.transient { [journal] (_: Session) in Resource("original", journal) }
        let container = try builder.build()
        let override = Override { [journal] (_: Session) in Resource("override", journal) }

        try await container.withScope(overriding: override) { scope in
            let first: Resource = try await scope.resolve()
            let second: Resource = try await scope.makeScope().resolve()
            #expect(first === second)
        }

        #expect(journal.entries == ["make override", "dispose override"])
    }

    @Test func `a container is the outermost scope`() async throws {
        let container = try container()
        let scope = container.makeScope()

        #expect(try await container.resolve(Scope.self) === container)
        #expect(try await scope.resolve(Container.self) === scope)
        #expect(scope.graph == container.graph)
    }

    @Test func `a container made from an inner scope does not have the overrides of that scope`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        builder.singleton((any Api).self) { LiveApi() }
        let container = try builder.build()
        let scope = try container.makeScope(
            overriding: Override((any Api).self) { LiveApi(name: "fake") },
            Override { Session() }
        )
        let session = Session()

        let other = try scope.overriding(Override { session })

        #expect(try await other.resolve((any Api).self).name == "live")
        #expect(try await other.resolve(Session.self) === session)
        #expect(try await container.resolve(Session.self) !== session)
        await container.dispose()
        #expect(try await other.resolve(Session.self) === session)
    }

    @Test func `a singleton does not see an override`() async throws {
        struct Cache: Sendable { let api: any Api }
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton { (api: any Api) in Cache(api: api) }
        let container = try builder.build()

        try await container.withScope(overriding: Override((any Api).self) { LiveApi(name: "fake") }) { scope in
            let cache: Cache = try await scope.resolve()
            #expect(cache.api.name == "live")
        }
    }

    @Test func `a named registration is overridden under its name`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton((any Api).self, named: .replica) { LiveApi(name: "replica") }
        let container = try builder.build()
        let override = Override((any Api).self, named: .replica) { LiveApi(name: "fake") }

        try await container.withScope(overriding: override) { scope in
            let main: any Api = try await scope.resolve()
            #expect(main.name == "live")
            #expect(try await scope.resolve((any Api).self, named: .replica).name == "fake")
            #expect(try await scope.resolve([any Api].self).map(\.name) == ["live", "fake"])
            #expect(try await scope.resolve((any Api)?.self, named: .replica)?.name == "fake")
        }
    }

    @Test func `overriding an unregistered type is an error`() async throws {
        let container = try ContainerBuilder().build()

        let error = #expect(throws: ResolutionError.self) {
            try container.makeScope(overriding: Override((any Api).self) { LiveApi() })
        }

        #expect(error?.description.hasPrefix("Api: not registered.") == true)
    }

    @Test func `a scope resolves itself`() async throws {
        let scope = try ContainerBuilder().build().makeScope()

        #expect(try await scope.resolve(Scope.self) === scope)
    }

    @Test func `an object with several registrations is disposed of once, after its dependents`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { [journal] in Resource("resource", journal) }
        builder.scoped((any Disposable).self) { (resource: Resource) in resource }
        builder.scoped(named: "user") { [journal] (_: Resource) in Resource("user", journal) }
        builder.scoped((any Disposable).self, named: "same") { (resource: any Disposable) in resource }

        try await builder.build().withScope { scope in
            _ = try await scope.resolve(Resource.self, named: "user")
            _ = try await scope.resolve([any Disposable].self)
        }

        #expect(journal.entries == ["make resource", "make user", "dispose user", "dispose resource"])
    }

    @Test func `a scope is not resolved as another type`() async throws {
        let scope = try ContainerBuilder().build().makeScope()

        await #expect(throws: ResolutionError.self) { try await scope.resolve(Any.self) }
        await #expect(throws: ResolutionError.self) { try await scope.resolve((any Sendable).self) }
        await #expect(throws: ResolutionError.self) { try await scope.resolve(AnyObject.self) }
        await #expect(throws: ResolutionError.self) { try await scope.resolve(Scope.self, named: "other") }
        #expect(try await scope.resolve(Scope?.self) === scope)
    }

    private struct Work {}

    private func container() throws -> Container {
        let builder = ContainerBuilder()
        builder.scoped(named: "connection") { [journal] in Resource("connection", journal) }
        builder.scoped(named: "transaction") { [journal] scope in
            _ = try await scope.resolve(Resource.self, named: "connection")
            return Resource("transaction", journal)
        }
        builder.transient { scope in
            _ = try await scope.resolve(Resource.self, named: "transaction")
            return Work()
        }
        return try builder.build()
    }
}

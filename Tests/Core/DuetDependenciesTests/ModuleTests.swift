import Duet
import DuetDependencies
import Testing

@Suite struct ModuleTests {
    private struct ApiModule: ContainerModule {
        static let line = #line + 3
        let name: String
        func register(in builder: ContainerBuilder) {
            builder.singleton((any Api).self) { [name] in LiveApi(name: name) }
        }
    }

    private struct ClientModule: ContainerModule {
        func register(in builder: ContainerBuilder) {
            builder.install(ApiModule(name: "installed"))
            builder.scoped { (_: any Api) in Session() }
        }
    }

    @Test func `a module adds its registrations and those of the modules that it installs`() async throws {
        let builder = ContainerBuilder()
        builder.install(ClientModule())
        let container = try builder.build()

        #expect(try await container.resolve((any Api).self).name == "installed")
        try await container.withScope { _ = try await $0.resolve(Session.self) }
    }

    @Test func `a module that is installed twice is a fault`() {
        let builder = ContainerBuilder()
        builder.install(ApiModule(name: "first"))
        builder.install(ApiModule(name: "second"))

        let error = #expect(throws: InvalidContainer.self) { try builder.build() }

        let place = "DuetDependenciesTests/ModuleTests.swift:\(ApiModule.line)"
        #expect(error?.problems == [.duplicate(name: "Api", locations: [place, place])])
        #expect(
            error?.description.contains("at \(place). The module that registers it is installed more than once;")
                == true
        )
    }

    @Test func `a registration can be replaced before or after it is made`() async throws {
        let builder = ContainerBuilder()
        builder.replacing.transient((any Api).self) { LiveApi(name: "first") }
        builder.install(ClientModule())
        builder.replacing.install(ApiModule(name: "second"))
        let container = try builder.build()

        #expect(try await container.resolve((any Api).self).name == "second")
        #expect(container.graph.nodes.map(\.name) == ["Api", "Session"])
    }

    @Test func `handlers and halves of a dispatcher are replaced like other registrations`()
        async throws
    {
        let builder = ContainerBuilder()
        builder.install(ApiModule(name: "installed"))
        builder.handlers { GetNameHandler.self }
        builder.replacing.transient { (scope: Scope) in
            try await scope.withScope(overriding: Override((any Api).self) { LiveApi(name: "replaced") }) {
                try await GetNameHandler(from: $0)
            }
        }
        let container = try builder.build()
        let dispatcher: any QueryDispatcher = try await container.resolve()
        #expect(try await dispatcher.dispatch(GetName()) == "replaced")

        let other = try container.overriding(Override((any QueryDispatcher).self) { try StandardDispatcher {} })

        let empty: any QueryDispatcher = try await other.resolve()
        await #expect(throws: DispatchError.self) { try await empty.dispatch(GetName()) }
    }

    @Test func `a container with overrides shares nothing with the one it came from`() async throws {
        let builder = ContainerBuilder()
        builder.install(ClientModule())
        builder.singleton { (api: any Api) in api.name }
        let container = try builder.build()
        #expect(try await container.resolve(String.self) == "installed")

        let other = try container.overriding(Override((any Api).self) { LiveApi(name: "fake") })

        #expect(try await other.resolve(String.self) == "fake")
        #expect(try await container.resolve(String.self) == "installed")
    }

    @Test func `overriding an unregistered type is a fault`() throws {
        let container = try ContainerBuilder().build()

        let error = #expect(throws: InvalidContainer.self) {
            try container.overriding(Override((any Api).self) { LiveApi() })
        }

        #expect(error?.description.contains("- Api is replaced at DuetDependenciesTests/ModuleTests.swift:") == true)
        #expect(error?.problems.count == 1)
    }

    @Test func `implicit registrations of handlers and dispatcher halves can be overridden`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.handlers { GetNameHandler.self }
        let container = try builder.build()

        let other = try container.overriding(Override { GetNameHandler(api: LiveApi(name: "fake")) })
        let deaf = try container.overriding(Override((any QueryDispatcher).self) { try StandardDispatcher {} })

        #expect(try await other.resolve((any QueryDispatcher).self).dispatch(GetName()) == "fake")
        await #expect(throws: DispatchError.self) {
            try await deaf.resolve((any QueryDispatcher).self).dispatch(GetName())
        }
        #expect(try await deaf.resolve((any Dispatcher).self).dispatch(GetName()) == "live")
    }
}

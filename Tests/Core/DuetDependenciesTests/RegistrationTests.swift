import DuetDependencies
import Testing

@Suite struct RegistrationTests {
    @Test func `a factory serves a contract`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }

        let api: any Api = try await builder.build().resolve()

        #expect(api.name == "live")
    }

    @Test func `a factory's parameters are resolved`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        builder.transient { (session: Session) in Client(session: session) }
        let container = try builder.build()

        let client: Client = try await container.resolve()

        #expect(try await client.session === container.resolve(Session.self))
    }

    @Test func `a resolvable type is created from its dependencies`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        builder.transient(Client.self)
        let container = try builder.build()

        let client: Client = try await container.resolve()

        #expect(try await client.session === container.resolve(Session.self))
    }

    @Test func `a resolvable type serves a contract`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        builder.scoped((any AnyObject & Sendable).self, as: Client.self) { $0 }
        let container = try builder.build()

        try await container.withScope { scope in
            let object: any AnyObject & Sendable = try await scope.resolve()
            #expect(object is Client)
            #expect(try await scope.resolve((any AnyObject & Sendable).self) === object)
        }
    }

    @Test func `a factory may take the scope`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Session() }
        builder.transient { scope in Client(session: try await scope.resolve()) }
        builder.transient(named: "annotated") { (scope: Scope) in Client(session: try await scope.resolve()) }
        builder.transient(named: "among others") { (session: Session, scope: Scope) in Client(session: session) }
        builder.transient(named: "optional") { (scope: Scope?) in
            Client(session: try await #require(scope).resolve())
        }
        let container = try builder.build()
        let session: Session = try await container.resolve()

        #expect(try await container.resolve(Client.self).session === session)
        #expect(try await container.resolve(Client.self, named: "annotated").session === session)
        #expect(try await container.resolve(Client.self, named: "among others").session === session)
        #expect(try await container.resolve(Client.self, named: "optional").session === session)
        #expect(container.graph.nodes.map(\.isOpaque) == [false, true, true, true, true])
    }

    @Test func `a factory may be asynchronous and throw`() async throws {
        @Sendable func connect() async throws -> Session { Session() }
        let builder = ContainerBuilder()
        builder.singleton { try await connect() }
        let container = try builder.build()

        let session: Session = try await container.resolve()

        #expect(try await container.resolve(Session.self) === session)
    }

    @Test func `a value that is not sendable may be transient`() async throws {
        struct Pair {
            let first: Counter
            let second: Counter
        }
        let builder = ContainerBuilder()
        builder.transient { Counter() }
        builder.transient { (first: Counter, second: Counter) in Pair(first: first, second: second) }
        let container = try builder.build()

        let pair: Pair = try await container.resolve()
        pair.first.count += 1

        #expect(pair.first.count == 1)
        #expect(pair.second.count == 0)
    }

    @Test func `a name distinguishes registrations of one type`() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.singleton((any Api).self, named: .replica) { LiveApi(name: "replica") }
        let container = try builder.build()

        #expect(try await container.resolve((any Api).self).name == "live")
        #expect(try await container.resolve((any Api).self, named: .replica).name == "replica")
        #expect(try await container.resolve((any Api)?.self, named: "other") == nil)
    }

    @Test func `an array contains every registration of its element type, in order`() async throws {
        struct Plugins { let ids: [Int] }
        let builder = ContainerBuilder()
        builder.singleton((any Plugin).self, named: "second") { NumberedPlugin(id: 2) }
        builder.transient((any Plugin).self) { NumberedPlugin(id: 0) }
        builder.singleton((any Plugin).self, named: "first") { NumberedPlugin(id: 1) }
        builder.transient { (plugins: [any Plugin]) in Plugins(ids: plugins.map(\.id)) }
        let container = try builder.build()

        #expect(try await container.resolve(Plugins.self).ids == [2, 0, 1])
        #expect(try await container.resolve([any Api].self).isEmpty)
    }

    @Test func `an array that is registered itself is resolved as registered`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { 7 }
        builder.singleton { [1, 2, 3] }

        #expect(try await builder.build().resolve([Int].self) == [1, 2, 3])
    }

    @Test func `an optional dependency is nil when nothing is registered`() async throws {
        struct Screen {
            let api: (any Api)?
            let session: Session?
        }
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { LiveApi() }
        builder.transient { (api: (any Api)?, session: Session?) in Screen(api: api, session: session) }
        let container = try builder.build()

        let screen: Screen = try await container.resolve()

        #expect(screen.api?.name == "live")
        #expect(screen.session == nil)
        #expect(try await container.resolve(Session?.self) == nil)
        #expect(try await container.resolve((any Api)?.self) != nil)
    }

    @Test func `an optional dependency that fails throws its error`() async throws {
        let builder = ContainerBuilder()
        builder.transient { () throws -> Session in throw Broken() }
        let container = try builder.build()

        let errors = [
            await #expect(throws: ResolutionError.self) { try await container.resolve(Session?.self) },
            await #expect(throws: ResolutionError.self) { try await container.resolve(Session?.self) },
        ]

        for error in errors { #expect(error?.description == "Session: could not be created: Broken()") }
    }

    @Test func `an unregistered type is reported with a remedy`() async throws {
        let container = try ContainerBuilder().build()

        let error = await #expect(throws: ResolutionError.self) { try await container.resolve((any Api).self) }

        #expect(error?.path == ["Api"])
        #expect(
            error?.description == """
                Api: not registered. Register Api with the builder of this container, or resolve Api? if it may be missing.
                """
        )
    }

    @Test func `an error contains the whole path`() async throws {
        struct Outer {}
        let builder = ContainerBuilder()
        builder.transient { (client: Client) in Outer() }
        builder.transient(Client.self)
        builder.singleton { scope in
            _ = try await scope.resolve((any Api).self)
            return Session()
        }
        let container = try builder.build()

        let error = await #expect(throws: ResolutionError.self) { try await container.resolve(Outer.self) }

        #expect(error?.path == ["Outer", "Client", "Session", "Api"])
        #expect(error?.description.hasPrefix("Outer → Client → Session → Api: not registered.") == true)
    }
}

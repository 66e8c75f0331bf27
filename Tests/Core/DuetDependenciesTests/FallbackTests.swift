import Duet
import DuetDependencies
import Testing

/// A dispatcher for the messages of a list that have no handler.
@Suite struct FallbackTests {
    /// In place of a server.
    private struct Remote: Dispatcher {
        let journal: Journal
        let name: String

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            journal.note("\(name) \(M.messageName)")
            if let name = name as? M.Value { return name }
            guard let done = () as? M.Value else { throw DispatchError.handlerNotFound(message: M.messageName) }
            return done
        }
    }

    private struct Unlisted: Command {}

    private let journal = Journal()
    private let builder = ContainerBuilder()
    private let api = MessageAPI("names") {
        GetName.authorized(.open)
        Rename.authorized(.open)
    }

    private func register() {
        builder.singleton { [journal] in journal }
        builder.singleton((any Api).self) { LiveApi(name: "server") }
        builder.transient { (journal: Journal, api: any Api) in Remote(journal: journal, name: api.name) }
    }

    @Test func `it gets the messages of the list, and no others`() async throws {
        register()
        builder.handlers(of: api, by: Remote.self)
        let dispatcher = try await builder.build().dispatcher

        #expect(try await dispatcher.dispatch(GetName()) == "server")
        try await dispatcher.dispatch(Rename())
        await #expect(throws: DispatchError.handlerNotFound(message: Unlisted.messageName)) {
            try await dispatcher.dispatch(Unlisted())
        }
        #expect(journal.entries == ["server \(GetName.messageName)", "server \(Rename.messageName)"])
    }

    @Test(arguments: [false, true])
    func `a handler of the container comes before it`(isFirst: Bool) async throws {
        register()
        if isFirst { builder.handlers { RenameHandler.self } }
        builder.handlers(of: api, by: Remote.self)
        if !isFirst { builder.handlers { RenameHandler.self } }
        let dispatcher = try await builder.build().dispatcher

        try await dispatcher.dispatch(Rename(name: "Ada"))
        #expect(try await dispatcher.dispatch(GetName()) == "server")
        #expect(journal.entries == ["rename Ada", "server \(GetName.messageName)"])
    }

    @Test func `it is resolved in the scope of a dispatch`() async throws {
        register()
        builder.handlers(of: api, by: Remote.self)
        let override = Override((any Api).self) { LiveApi(name: "other server") }
        let name = try await builder.build().withScope(overriding: override) { scope in
            try await scope.dispatcher.dispatch(GetName())
        }
        #expect(name == "other server")
    }

    @Test func `it must be registered`() {
        builder.handlers(of: api, by: Remote.self)
        let error = #expect(throws: InvalidContainer.self) { try builder.build() }
        #expect(error?.description.contains("→ Remote: not registered.") == true)
    }

    @Test func `two of them for one message are a fault`() {
        struct Other: Dispatcher {
            func dispatch<M: Message>(_ message: M) async throws -> M.Value {
                throw DispatchError.handlerNotFound(message: M.messageName)
            }
        }
        register()
        builder.singleton { Other() }
        builder.handlers(of: api, by: Remote.self)
        builder.handlers(of: MessageAPI("more") { GetName.authorized(.open) }, by: Other.self)
        let error = #expect(throws: InvalidContainer.self) { try builder.build() }
        #expect(error?.description.contains("GetName has more than one handler") == true)
    }

    @Test func `a replacement replaces the handlers of all messages`() async throws {
        register()
        builder.handlers {
            GetNameHandler.self
            RenameHandler.self
        }
        builder.replacing.handlers(of: api, by: Remote.self)
        let dispatcher = try await builder.build().dispatcher

        #expect(try await dispatcher.dispatch(GetName()) == "server")
        try await dispatcher.dispatch(Rename())
        #expect(journal.entries.count == 2)
    }
}

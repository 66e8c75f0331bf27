import Duet
import DuetTesting
import Foundation
import Synchronization
import Testing

/// The door of a program: who may send a message, and which messages are checked.
@Suite
struct AuthorizingTests {
    struct ListRooms: Query, Hashable {
        typealias Value = [String]
    }

    struct CountRooms: Query, Hashable {
        typealias Value = Int
    }

    struct AddRoom: Command, Validatable {
        var seats = 12

        func validate() throws { if seats > 100 { throw TooLarge() } }
    }

    struct Rename: Command {
        let owner: String
    }

    struct Rebuild: Command {}
    struct Clear: Command {}
    struct Unlisted: Command {}
    struct TooLarge: Error, Equatable {}

    private static let api = MessageAPI("rooms") {
        ListRooms.authorized(.open)
        AddRoom.authorized(.scope("admin"))
        Rename.authorized(.when { $1.hasID($0.owner) })
        Rebuild.authorized(.nodes)
        Clear.self
    }

    private let spy = SpyDispatcher()
    private let ada = Principal(id: "ada", scopes: ["admin"])
    private let grace = Principal(id: "grace")

    private func door() -> some Dispatcher {
        spy.stub(ListRooms.self) { _ in ["A"] }
        spy.stub(AddRoom.self) { _ in }
        spy.stub(Rename.self) { _ in }
        spy.stub(Rebuild.self) { _ in }
        spy.stub(Clear.self) { _ in }
        return spy.authorizing(Self.api)
    }

    @Test func `a message passes that its rule accepts`() async throws {
        let door = door()
        #expect(try await door.dispatch(ListRooms()) == ["A"])
        try await withPrincipal(ada) { try await door.dispatch(AddRoom()) }
        try await withPrincipal(grace) { try await door.dispatch(Rename(owner: "grace")) }
        #expect(spy.messageNames.count == 3)
    }

    @Test func `nobody and somebody else are refused`() async throws {
        let door = door()
        await #expect(throws: AuthorizationError.unauthenticated) { try await door.dispatch(AddRoom()) }
        await withPrincipal(grace) {
            await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(AddRoom()) }
            await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(Rename(owner: "ada")) }
        }
        #expect(spy.messageNames.isEmpty)
    }

    @Test func `an invalid message does not pass, whoever sends it`() async throws {
        let door = door()
        await #expect(throws: TooLarge()) { try await door.dispatch(AddRoom(seats: 1_000)) }
        _ = await withPrincipal(ada) {
            await #expect(throws: TooLarge()) { try await door.dispatch(AddRoom(seats: 1_000)) }
        }
        _ = await withAuthority(.program("seeder")) {
            await #expect(throws: TooLarge()) { try await door.dispatch(AddRoom(seats: 1_000)) }
        }
        #expect(spy.messageNames.isEmpty)
    }

    @Test func `work of the program passes, until it works for somebody`() async throws {
        let door = door()
        try await withAuthority(.program("seeder")) {
            #expect(Authority.current == .program("seeder"))
            try await door.dispatch(AddRoom())
            try await door.dispatch(Rebuild())
            await withPrincipal(grace) {
                #expect(Authority.current == nil)
                await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(AddRoom()) }
            }
        }
        #expect(spy.messageNames.count == 2)
    }

    @Test func `a message for nodes is refused to every caller`() async throws {
        let door = door()
        for principal in [nil, ada] {
            _ = await withPrincipal(principal) {
                await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(Rebuild()) }
            }
        }
    }

    @Test func `the messages of a handler pass for the same caller, and for nobody else`() async throws {
        let outer = Mutex<(any Dispatcher)?>(nil)
        let (ada, grace) = (ada, grace)
        let door = door()
        spy.stub(Rename.self) { command in
            guard let door = outer.withLock(\.self) else { return }
            try await door.dispatch(AddRoom())
            // Other tasks of the handler, too.
            async let added: Void = door.dispatch(AddRoom())
            try await added
            await #expect(throws: AuthorizationError.forbidden) {
                try await withPrincipal(grace) { try await door.dispatch(AddRoom()) }
            }
            try await withPrincipal(ada) { try await door.dispatch(AddRoom()) }
        }
        outer.withLock { $0 = door }
        try await withPrincipal(grace) {
            try await door.dispatch(Rename(owner: "grace"))
            // The handler has ended.
            await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(AddRoom()) }
        }
        #expect(spy.messageNames.filter { $0 == AddRoom.messageName }.count == 3)
    }

    @Test func `a message that is not listed, or has no rule, is refused with the line to write`() async throws {
        let door = door()
        let unlisted = await #expect(throws: MessageAPIError.self) { try await door.dispatch(Unlisted()) }
        #expect(unlisted?.description.contains("“rooms”: add Unlisted.self to its list") == true)
        await #expect(throws: MessageAPIError.self) {
            _ = try await spy.authorizing(
                MessageAPI("rooms") {
                    CountRooms.self
                    AddRoom.authorized(.principal)
                }
            ).dispatch(CountRooms())
        }
        let withoutRule = await #expect(throws: MessageAPIError.self) {
            try await withPrincipal(ada) { try await door.dispatch(Clear()) }
        }
        #expect(withoutRule?.description.contains("write Clear.authorized(…) in the list") == true)
        #expect(spy.messageNames.isEmpty)
    }

    @Test func `a list has a rule for messages without their own, and one side can replace rules`() async throws {
        let api = MessageAPI("rooms", authorized: .principal) {
            Clear.self
            AddRoom.authorized(.open)
        }
        let door = door()
        let open = spy.authorizing(api)
        await #expect(throws: AuthorizationError.unauthenticated) { try await open.dispatch(Clear()) }
        try await withPrincipal(grace) { try await open.dispatch(Clear()) }
        try await open.dispatch(AddRoom())
        let closed = spy.authorizing(api.authorizing(AddRoom.self, .scope("admin")))
        await #expect(throws: AuthorizationError.unauthenticated) { try await closed.dispatch(AddRoom()) }
        withExtendedLifetime(door) {}
    }

    @Test func `lists contain lists, and report faults for each carrier`() {
        struct Same: Command {
            static var messageName: String { Clear.messageName }
        }
        let post = Carrier("post")
        let api = MessageAPI("all") {
            Self.api
            AddRoom.authorized(.open)
            Same.authorized(.open).not(over: post)
            Unlisted.only(over: post)
            CountRooms.self
        }
        #expect(api.entries(of: post).count == 8)
        #expect(
            api.faults(of: post).map(\.description) == [
                "\(AddRoom.messageName) is listed twice. Remove one of them.",
                MessageAPI.Fault.missingRule(of: Clear.self).description,
                MessageAPI.Fault.missingRule(of: Unlisted.self).description,
                MessageAPI.Fault.missingRule(of: CountRooms.self).description,
            ]
        )
        #expect(
            api.faults(of: Carrier("pigeon")).map(\.description) == [
                "\(AddRoom.messageName) is listed twice. Remove one of them.",
                "Two messages have the name \(Clear.messageName). Give one of them another messageName.",
                MessageAPI.Fault.missingRule(of: Clear.self).description,
                MessageAPI.Fault.missingRule(of: CountRooms.self).description,
            ]
        )
        let open = MessageAPI("open") {
            CountRooms.self
            AddRoom.authorized(.open)
        }
        #expect(open.faults(of: post).isEmpty)
    }

    @Test func `only those who may dispatch a query observe it`() async throws {
        let door = LiveRooms(base: spy).authorizing(MessageAPI("rooms") { ListRooms.authorized(.principal) })
        #expect(door.isLive(ListRooms.self))
        var refused = door.observe(ListRooms()).makeAsyncIterator()
        let first = await refused.next()
        #expect(first?.error as? AuthorizationError == .unauthenticated && first?.value == nil)
        #expect(await refused.next() == nil)
        let states = await withPrincipal(grace) { door.observe(ListRooms()) }
        var values: [[String]] = []
        for try await value in states.values { values.append(value) }
        #expect(values == [["A"], ["A", "B"]])
    }

    @Test func `an anonymous caller can sign in, and nobody is accepted by another attempt`() {
        #expect(AuthorizationError.unauthenticated.needsSignIn)
        #expect(!AuthorizationError.forbidden.needsSignIn)
        #expect(!AuthorizationError.unauthenticated.isTemporary && !AuthorizationError.forbidden.isTemporary)
    }
}

/// Reports two values of each query.
private struct LiveRooms: Dispatcher {
    let base: any Dispatcher

    func dispatch<M: Message>(_ message: M) async throws -> M.Value { try await base.dispatch(message) }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool { true }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        QueryStates(updates: {
            var values = [["A"], ["A", "B"]].compactMap { $0 as? Q.Value }
            return { values.isEmpty ? nil : .value(values.removeFirst()) }
        })
    }
}

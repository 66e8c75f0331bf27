import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetHTTP
import DuetTesting
import HTTPTypes
import Synchronization
import Testing

/// One list of messages, and the same outcomes in every place: for strangers, for the wrong person, and for invalid
/// values.
@Suite(.timeLimit(.minutes(5)))
struct OneListTests {
    private static let notes = MessageAPI("notes") {
        ListMemos.authorized(.open)
        AddMemo.authorized(.principal)
        RemoveMemo.authorized(.scope("admin")).ordered(by: \.text)
        MineOnly.authorized(.when { $1.hasID($0.owner) })
        CountMemos.authorized(.nodes).not(over: .http)
    }

    private static let ada = Principal(id: "ada", scopes: ["admin"])
    private static let grace = Principal(id: "grace")

    @Test func `a message is refused alike in four places, and accepted alike`() async throws {
        let suite = MessageSuite(Self.notes) {
            Example(ListMemos(), returns: ["Milk"])
            Example(AddMemo(text: "Bread"), throws: AuthorizationError.unauthenticated)
            Example(AddMemo(text: "Bread"), then: ListMemos(), returns: ["Milk", "Bread"]).sent(by: Self.grace)
            Example(AddMemo(text: ""), throws: EmptyMemo()).sent(by: Self.grace)
            Example(AddMemo(text: ""), throws: EmptyMemo())
            Example(AddMemo(text: "!"), throws: NoSigns()).sent(by: Self.grace)
            Example(RemoveMemo(text: "Milk"), throws: AuthorizationError.unauthenticated)
            Example(RemoveMemo(text: "Milk"), throws: AuthorizationError.forbidden).sent(by: Self.grace)
            Example(RemoveMemo(text: "Milk"), then: ListMemos(), returns: []).sent(by: Self.ada)
            Example(MineOnly(owner: "grace"), returns: "grace").sent(by: Self.grace)
            Example(MineOnly(owner: "ada"), throws: AuthorizationError.forbidden).sent(by: Self.grace)
            Example(MineOnly(owner: "ada"), throws: AuthorizationError.unauthenticated)
        }
        try await suite.check(
            in: .http(),
            .cache {
                try QueryCache(in: .memory(limit: .entries(100))) {
                    Cache(ListMemos.self, .maxAge(.minutes(5)), scope: .shared)
                    Cache(MineOnly.self, .maxAge(.minutes(5)))
                    Invalidate(ListMemos.self, after: AddMemo.self, RemoveMemo.self)
                }
            },
            .cluster()
        ) { try Memos().dispatcher() }
    }

    @Test func `only nodes send a message for nodes, and programs on them`() async throws {
        let engine = InProcessCluster()
        let worker = try ClusterWorker(Self.notes, try Memos().dispatcher(), on: engine)
        let run = Task { try await worker.run() }
        let sender = try ClusterDispatcher(Self.notes, on: engine)
        #expect(try await sender.dispatch(CountMemos()) == 1)
        try await withAuthority(.program("seeder")) { try await sender.dispatch(RemoveMemo(text: "Milk")) }
        #expect(try await sender.dispatch(CountMemos()) == 0)
        let door = try Memos().dispatcher().authorizing(Self.notes)
        await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(CountMemos()) }
        run.cancel()
        try await run.value
    }

    @Test func `a refused command is not tried again, and is no dead letter`() async throws {
        let engine = InProcessCluster()
        let memos = Memos()
        let worker = try ClusterWorker(Self.notes, try memos.dispatcher(), on: engine)
        let run = Task { try await worker.run() }
        let sender = try ClusterDispatcher(Self.notes, on: engine)
        await #expect(throws: AuthorizationError.unauthenticated) { try await sender.dispatch(AddMemo(text: "A")) }
        await #expect(throws: AuthorizationError.forbidden) {
            try await withPrincipal(Self.grace) { try await sender.dispatch(RemoveMemo(text: "Milk")) }
        }
        // Its validation, which the sender has left out, throws an error that the message does not declare.
        let careless = try ClusterDispatcher(MessageAPI("raw") { RawMemo.authorized(.open) }, on: engine)
        let error = await #expect(throws: ClusterError.self) {
            try await withPrincipal(Self.grace) { try await careless.dispatch(RawMemo(text: "!")) }
        }
        #expect(error?.description.contains("it was refused: Memos have no signs") == true)
        #expect(memos.texts == ["Milk"])
        #expect(try await engine.commands.deadLetters.list(limit: 10).isEmpty)
        run.cancel()
        try await run.value
    }

    @Test func `a carrier reports all messages that it cannot carry when it is created`() throws {
        let api = MessageAPI("faulty") {
            AddMemo.self
            Unsendable.self
            CountMemos.authorized(.nodes)
        }
        let http = #expect(throws: InvalidMessageAPI.self) { try HTTPAPI(api) }
        #expect(http?.faults.count == 3)
        #expect(http?.description.contains("write AddMemo.authorized(…) in the list") == true)
        #expect(http?.description.contains("write Unsendable.not(over: .http) in the list") == true)
        #expect(http?.description.contains("write CountMemos.not(over: .http) in the list") == true)
        let cluster = #expect(throws: InvalidMessageAPI.self) { try ClusterDispatcher(api, on: InProcessCluster()) }
        #expect(cluster?.faults.count == 2)
        #expect(cluster?.description.contains("write Unsendable.not(over: .cluster) in the list") == true)
    }

    @Test func `a rule or a status for a message that is not listed is a fault`() throws {
        let api = MessageAPI("memos") { AddMemo.authorized(.open) }.authorizing(RemoveMemo.self, .principal)
        let statuses = [SuccessStatus(of: RemoveMemo.self) { _, _ in .ok }]
        let http = #expect(throws: InvalidMessageAPI.self) { try HTTPAPI(api, statuses: statuses) }
        #expect(http?.faults.count == 2)
        #expect(http?.description.contains("add RemoveMemo.self to its list") == true)
        let cluster = #expect(throws: InvalidMessageAPI.self) { try ClusterDispatcher(api, on: InProcessCluster()) }
        #expect(cluster?.faults.count == 1)
    }
}

// MARK: Messages

private struct ListMemos: HTTPQuery, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("memos").live()
}

private struct MineOnly: HTTPQuery, Hashable {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("memos/{owner}")

    let owner: String
}

private struct CountMemos: HTTPQuery {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("count")
}

private struct AddMemo: HTTPCommand, Validatable {
    static let route: CommandRoute<Self> = .post("memos").throwing(EmptyMemo.self)

    let text: String

    func validate() throws {
        if text.isEmpty { throw EmptyMemo() }
        if text == "!" { throw NoSigns() }
    }
}

private struct RemoveMemo: HTTPCommand {
    static let route: CommandRoute<Self> = .delete("memos/{text}")

    let text: String
}

private struct Unsendable: Query {
    typealias Value = [String]
    let check: @Sendable () -> Void
}

private struct EmptyMemo: HTTPProblem, Hashable {
    static let problemType = "urn:test:empty-memo"
    var status: HTTPResponse.Status { .unprocessableContent }
}

/// Adds a memo without a check of its text.
private struct RawMemo: Command, Codable {
    static var messageName: String { AddMemo.messageName }

    let text: String
}

private struct NoSigns: Error, Equatable, CustomStringConvertible {
    var description: String { "Memos have no signs." }
}

private final class Memos: Sendable {
    private let state = Mutex(["Milk"])

    var texts: [String] { state.withLock(\.self) }

    func dispatcher() throws -> some Dispatcher {
        try StandardDispatcher {
            ListMemosHandler(memos: self)
            MineOnlyHandler()
            CountMemosHandler(memos: self)
            AddMemoHandler(memos: self)
            RemoveMemoHandler(memos: self)
        }
    }

    func change(_ body: (inout [String]) -> Void) { state.withLock { body(&$0) } }
}

private struct ListMemosHandler: QueryHandler {
    let memos: Memos
    func handle(_ query: ListMemos) async throws -> [String] { memos.texts }
}

private struct MineOnlyHandler: QueryHandler {
    func handle(_ query: MineOnly) async throws -> String { query.owner }
}

private struct CountMemosHandler: QueryHandler {
    let memos: Memos
    func handle(_ query: CountMemos) async throws -> Int { memos.texts.count }
}

private struct AddMemoHandler: CommandHandler {
    let memos: Memos
    func handle(_ command: AddMemo) async throws { memos.change { $0.append(command.text) } }
}

private struct RemoveMemoHandler: CommandHandler {
    let memos: Memos
    func handle(_ command: RemoveMemo) async throws { memos.change { $0.removeAll { $0 == command.text } } }
}

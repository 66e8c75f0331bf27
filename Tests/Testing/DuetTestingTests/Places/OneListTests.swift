import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetHTTP
import DuetTesting
import HTTPTypes
import TestSupport
import Testing

/// One list of messages, and the same outcomes in every place: for strangers, for the wrong person, and for invalid
/// values.
@Suite(.timeLimit(.minutes(5)))
struct OneListTests {
    @Test func `a message is refused alike in four places, and accepted alike`() async throws {
        try await MemoStore.suite.check(
            in: .http(),
            MemoStore.cache,
            .cluster()
        ) { try MemoStore().dispatcher() }
    }

    @Test func `only nodes send a message for nodes, and programs on them`() async throws {
        let engine = InProcessCluster()
        let worker = try ClusterWorker(MemoStore.messages, try MemoStore().dispatcher(), on: engine)
        let run = Task { try await worker.run() }
        let sender = try ClusterDispatcher(MemoStore.messages, on: engine, options: .patient)
        #expect(try await sender.dispatch(CountMemos()) == 1)
        try await withAuthority(.program("seeder")) { try await sender.dispatch(RemoveMemo(text: "Milk")) }
        #expect(try await sender.dispatch(CountMemos()) == 0)
        let door = try MemoStore().dispatcher().authorizing(MemoStore.messages)
        await #expect(throws: AuthorizationError.forbidden) { try await door.dispatch(CountMemos()) }
        run.cancel()
        try await run.value
    }

    @Test func `a refused command is not tried again, and is no dead letter`() async throws {
        let engine = InProcessCluster()
        let memos = MemoStore()
        let worker = try ClusterWorker(MemoStore.messages, try memos.dispatcher(), on: engine)
        let run = Task { try await worker.run() }
        let sender = try ClusterDispatcher(MemoStore.messages, on: engine, options: .patient)
        await #expect(throws: AuthorizationError.unauthenticated) { try await sender.dispatch(AddMemo(text: "A")) }
        await #expect(throws: AuthorizationError.forbidden) {
            try await withPrincipal(MemoStore.grace) { try await sender.dispatch(RemoveMemo(text: "Milk")) }
        }
        // Its validation, which the sender has left out, throws an error that the message does not declare.
        let careless = try ClusterDispatcher(
            MessageAPI("raw") { RawMemo.authorized(.open) },
            on: engine,
            options: .patient
        )
        let error = await #expect(throws: ClusterError.self) {
            try await withPrincipal(MemoStore.grace) { try await careless.dispatch(RawMemo(text: "!")) }
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

private struct Unsendable: Query {
    typealias Value = [String]
    let check: @Sendable () -> Void
}

/// Adds a memo without a check of its text.
private struct RawMemo: Command, Codable {
    static var messageName: String { AddMemo.messageName }

    let text: String
}

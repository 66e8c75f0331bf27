import Duet
import DuetCluster
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

/// A server whose handlers send messages to another server.
@Suite(.timeLimit(.minutes(5)))
struct GatewayTests {
    private let behind = MockHTTPClient { Issue.record($0) }

    /// Posts a note to a server with a key, and returns the keys that arrive at the server behind it.
    private func keysBehind(_ gateway: some Dispatcher) async throws -> [String?] {
        let router = Router()
        try router.mount(.open { AddNote.self }, gateway)
        let request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "gateway.example",
            path: "/v1/notes",
            headerFields: [.contentType: "application/json", .idempotencyKey: "note-7"]
        )
        let body = Data(#"{"note": {"id": 7, "text": "seven"}}"#.utf8)
        let (response, _) = try await RouterHTTPClient(router).data(for: request, body: body)
        #expect(response.status == .noContent)
        return behind.received.map { $0.request.headerFields[.idempotencyKey] }
    }

    private func remote() throws -> HTTPDispatcher {
        HTTPDispatcher(baseURL: try #require(URL(string: "http://behind.example")), client: behind)
    }

    @Test func `a mount in front of a dispatcher to another server forwards the key`() async throws {
        behind.expect(.post, "/v1/notes", status: .noContent)
        #expect(try await keysBehind(try remote()) == ["note-7"])
        #expect(behind.missing == [])
    }

    @Test func `the commands of a handler have keys of their own, which are the same at each attempt`() async throws {
        let gateway = try StandardDispatcher { AddNoteGateway(behind: try remote()) }
        for _ in 1...2 {
            behind.expect(.delete, "/v1/notes/6", status: .noContent)
            behind.expect(.post, "/v1/notes", status: .noContent)
            behind.expect(.post, "/v1/notes", status: .noContent)
        }
        let first = try await keysBehind(gateway)
        #expect(Set(first).count == 3 && !first.contains("note-7") && !first.contains(nil))
        #expect(try await keysBehind(gateway) == first + first)
        #expect(behind.missing == [])
    }

    // MARK: Failures

    private struct Busy: TemporaryError {
        var isTemporary = true
        var retryAfter: Duration?
        var needsSignIn = false
    }

    /// The failure that a client gets for an error of a dispatcher behind a mount.
    private func failure(
        of message: some Message = AddNote(note: Note(id: 7, text: "seven")),
        for error: any Error
    ) async throws -> HTTPFailure {
        let spy = SpyDispatcher()
        spy.stub(AddNote.self, throwing: error)
        spy.stub(WhoAmI.self, throwing: error)
        let router = Router()
        let messages = MessageAPI.open {
            AddNote.self
            WhoAmI.self
        }
        try router.mount(messages, spy)
        let base = try #require(URL(string: "http://gateway.example"))
        let client = HTTPDispatcher(baseURL: base, client: RouterHTTPClient(router))
        let failure = await #expect(throws: HTTPFailure.self) { _ = try await client.dispatch(message) }
        return try #require(failure)
    }

    @Test func `a temporary error is temporary for the client`() async throws {
        for pause in [nil, Duration.seconds(7), .milliseconds(6_001)] {
            let failure = try await failure(for: Busy(retryAfter: pause))
            #expect(failure.status == .serviceUnavailable && failure.isTemporary)
            #expect(failure.retryAfter == pause.map { _ in .seconds(7) })
            #expect(!"\(failure)".contains("Busy"))
        }
        let behind = try await failure(for: TransportError.connectionLost(reason: "hunter2"))
        #expect(behind.status == .serviceUnavailable && !"\(behind)".contains("hunter2"))
    }

    @Test func `an error that is not temporary, or needs a sign-in on the server, is an internal error`() async throws {
        for error in [Busy(isTemporary: false), Busy(needsSignIn: true)] {
            #expect(try await failure(for: error).status == .internalServerError)
        }
    }

    @Test func `a command that a cluster has given up is not sent again`() async throws {
        let failed = ClusterError.failed(message: AddNote.messageName, reason: "hunter2")
        let failure = try await failure(for: failed)
        #expect(failure.status == .unprocessableContent && !failure.isTemporary)
        #expect(!"\(failure)".contains("hunter2"))
        // The command itself may succeed when what it needs succeeds.
        let other = ClusterError.failed(message: RemoveNote.messageName, reason: "hunter2")
        #expect(try await self.failure(for: other).status == .internalServerError)
    }

    @Test func `a command that a cluster cannot carry is too large, and a query whose value it cannot is an error`()
        async throws
    {
        let error = TransportError.tooLarge(bytes: 11, limit: 10)
        let failure = try await failure(for: error)
        #expect(failure.status == .contentTooLarge && !failure.isTemporary)
        #expect(try await self.failure(of: WhoAmI(), for: error).status == .internalServerError)
    }
}

/// Adds a note on another server, twice, in place of the one before it.
private struct AddNoteGateway: CommandHandler {
    let behind: HTTPDispatcher

    func handle(_ command: AddNote) async throws {
        try await behind.dispatch(RemoveNote(id: command.note.id - 1))
        for _ in 1...2 { try await behind.dispatch(command) }
    }
}

import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing

/// A server whose handlers send messages to another server.
@Suite(.timeLimit(.minutes(5)))
struct GatewayTests {
    private let behind = MockHTTPClient { Issue.record($0) }

    /// Posts a note to a server with a key, and returns the keys that arrive at the server behind it.
    private func keysBehind(_ gateway: some Dispatcher) async throws -> [String?] {
        let router = Router()
        try router.mount(gateway, HTTPAPI { AddNote.self })
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
}

/// Adds a note on another server, twice, in place of the one before it.
private struct AddNoteGateway: CommandHandler {
    let behind: HTTPDispatcher

    func handle(_ command: AddNote) async throws {
        try await behind.dispatch(RemoveNote(id: command.note.id - 1))
        for _ in 1...2 { try await behind.dispatch(command) }
    }
}

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

    @Test func `the key of a command is forwarded with the same command, and with no other`() async throws {
        behind.expect(.delete, "/v1/notes/6", status: .noContent)
        behind.expect(.post, "/v1/notes", status: .noContent)
        let url = try #require(URL(string: "http://behind.example"))
        let gateway = try StandardDispatcher {
            AddNoteGateway(behind: HTTPDispatcher(baseURL: url, client: behind))
        }
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
        #expect(behind.received.map { $0.request.headerFields[.idempotencyKey] } == [nil, "note-7"])
        #expect(behind.missing == [])
    }
}

/// Forwards a note to another server.
private struct AddNoteGateway: CommandHandler {
    let behind: HTTPDispatcher

    func handle(_ command: AddNote) async throws {
        try await behind.dispatch(RemoveNote(id: command.note.id - 1))
        try await behind.dispatch(command)
    }
}

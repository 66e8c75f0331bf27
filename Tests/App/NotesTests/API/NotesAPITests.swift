import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing

/// The notes as HTTP requests.
@Suite struct NotesAPITests {
    /// A command whose route does not declare the problem of its handler.
    private struct PinNote: HTTPCommand {
        static let route: CommandRoute<Self> = .post("pins")
        let id: UUID
    }

    private struct AlreadyPinned: HTTPProblem {
        static let problemType = "tag:notes.example,2026:already-pinned"
        let id: UUID
        var status: HTTPResponse.Status { .conflict }
    }

    private struct PinNoteHandler: CommandHandler {
        func handle(_ command: PinNote) async throws { throw AlreadyPinned(id: command.id) }
    }

    private let milk = AddNote(id: UUID(), title: "Milk")

    private func dispatcher(_ client: any HTTPClient) throws -> HTTPDispatcher {
        try HTTPDispatcher(.notes, baseURL: BaseURL("http://notes.example"), client: client)
    }

    @Test func `a message has the method and the path of its route`() throws {
        let lines = [
            "\(AddNote.route.method) \(AddNote.route.path)", "\(RenameNote.route.method) \(RenameNote.route.path)",
            "\(ListNotes.route.method) \(ListNotes.route.path)",
        ]
        #expect(lines == ["put notes/{id}", "patch notes/{id}", "get notes"])
    }

    @Test func `a constant token needs neither a login nor the server's URL again`() async throws {
        try await Place.withNotes { notes in
            let client = try RouterHTTPClient(Router.notes(notes))
            let anyone = try dispatcher(client)
            let ada = try dispatcher(client.authenticated(by: .bearer("ada-secret")))
            await #expect(throws: AuthorizationError.unauthenticated) { try await anyone.dispatch(milk) }
            try await ada.dispatch(milk)
            #expect(try await anyone.dispatch(ListNotes()).map(\.id) == [milk.id])
        }
    }

    @Test func `commands are not cache misses, and the cache obeys the fields of a query's route`() async throws {
        try await Place.withNotes { notes in
            let cache = try RouterHTTPClient(Router.notes(notes)).caching()
            let ada = try dispatcher(cache.authenticated(by: .bearer("ada-secret")))
            for _ in 1...2 { #expect(try await ada.dispatch(ListNotes()) == []) }
            try await ada.dispatch(milk)
            #expect(cache.statistics.hits == 1)
            #expect(cache.statistics.misses == 1)
        }
    }

    @Test func `an undeclared problem travels, and its description names the missing declaration`() async throws {
        let api = MessageAPI("pins") { PinNote.authorized(.open) }
        let router = Router()
        try router.mount(api, StandardDispatcher { PinNoteHandler() })
        let server = try BaseURL("http://notes.example")
        let notes = try HTTPDispatcher(api, baseURL: server, client: RouterHTTPClient(router))
        let failure = await #expect(throws: HTTPFailure.self) { try await notes.dispatch(PinNote(id: milk.id)) }
        #expect(failure?.status == .conflict)
        #expect(failure?.problem?.type == AlreadyPinned.problemType)
        #expect(failure?.description.contains("add .throwing(") == true)
    }

    @Test func `a mock expects every parameter, including one that equals its default`() async throws {
        let client = MockHTTPClient()
        client.expect(.get, "/notes?q=milk&limit=20", json: "[]")
        client.expect(.patch, "/notes/\(milk.id)", problem: NoteNotFound(id: milk.id))
        let notes = try dispatcher(client)
        #expect(try await notes.dispatch(ListNotes(searchText: "milk")) == [])
        await #expect(throws: NoteNotFound(id: milk.id)) {
            try await notes.dispatch(RenameNote(id: milk.id, title: "Oat milk"))
        }
        #expect(client.missing == [])
    }

    @Test func `the decorator that was applied last is the outermost layer`() {
        let client = MockHTTPClient().authenticated(by: .bearer("ada-secret")).retrying()
        #expect(client.layers == ["retry, at most 3 attempts", "bearer token", "MockHTTPClient"])
    }
}

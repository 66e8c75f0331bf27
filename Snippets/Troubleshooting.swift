//! The corrections of the guide "Troubleshooting", and some of the errors that they correct.

import Duet
import DuetAsyncHTTPClient
import DuetContext
import DuetDependencies
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird

protocol Api: Sendable {}
struct LiveApi: Api {}
struct FakeApi: Api {}

// snippet.payload
struct Note: Codable, Sendable {
    let id: Int
    let text: String
}
// snippet.end

// snippet.isolated
nonisolated struct Draft: Codable, Sendable {
    var text: String
}
// snippet.end

struct UnitOfWork: Sendable {
    let api: any Api
}

struct ListNotes: HTTPQuery, Hashable {
    typealias Value = [Note]
    static let route: QueryRoute<Self> = .get("notes")
}

// snippet.problem
struct NoSuchNote: HTTPProblem {
    static let problemType = "https://example.com/problems/no-such-note"
    let id: Int
    var status: HTTPResponse.Status { .notFound }
}

struct LoadNote: IDQuery {
    typealias Value = Note
    static let route: QueryRoute<Self> = .get("notes/{id}").throwing(NoSuchNote.self)

    let id: Int
}
// snippet.end

struct AddNote: HTTPCommand {
    static let route: CommandRoute<Self> = .post("notes")
    let text: String
}

struct LoadNoteHandler: QueryHandler {
    func handle(_ query: LoadNote) async throws -> Note { throw NoSuchNote(id: query.id) }
}

// snippet.sendable
actor Notebook {
    private(set) var notes: [Note] = []
    func add(_ note: Note) { notes.append(note) }
}

struct ListNotesHandler: QueryHandler {
    let notebook: Notebook

    func handle(_ query: ListNotes) async throws -> [Note] { await notebook.notes }
}
// snippet.end

struct AddNoteHandler: CommandHandler {
    let notebook: Notebook
    let work: UnitOfWork
    func handle(_ command: AddNote) async throws { await notebook.add(Note(id: 1, text: command.text)) }
}

@MainActor
final class Editor {
    var text = ""
}

/// Not `Sendable`.
final class Document {
    var text: String
    init(text: String) { self.text = text }
}

struct LoadDocument: Query {
    typealias Value = Document
}

// snippet.mainActor
@MainActor
final class LoadDocumentHandler: QueryHandler {
    private let editor: Editor

    init(editor: Editor) {
        self.editor = editor
    }

    @MainActor
    func handle(_ query: LoadDocument) async throws -> sending Document { Document(text: editor.text) }
}
// snippet.end

// snippet.registered
let builder = ContainerBuilder()
builder.singleton { Notebook() }
builder.singleton((any Api).self) { LiveApi() }
builder.scoped { (api: any Api) in UnitOfWork(api: api) }
// A handler that needs a scoped value is transient or scoped, not a singleton.
builder.transient { (notebook: Notebook, work: UnitOfWork) in AddNoteHandler(notebook: notebook, work: work) }
builder.transient { (notebook: Notebook) in ListNotesHandler(notebook: notebook) }
builder.transient { LoadNoteHandler() }
builder.handlers {
    AddNoteHandler.self
    ListNotesHandler.self
    LoadNoteHandler.self
}
// snippet.end

// snippet.replacing
builder.replacing.singleton((any Api).self) { FakeApi() }
let container = try builder.build()
// snippet.end

// snippet.scope
let work = try await container.withScope { scope in try await scope.resolve(UnitOfWork.self) }
// snippet.end
print(type(of: work.api))

// snippet.report
do {
    _ = try await container.resolve(UnitOfWork.self)
} catch let error as ResolutionError {
    print(error)  // Not error.localizedDescription, which says nothing.
}
// snippet.end

let network = MockHTTPClient()
network.expect(.get, "/v1/notes", status: .movedPermanently, headers: [.location: "https://api.example.com/v2/notes"])
network.expect(.get, "/v2/notes", headers: [.contentType: "text/plain"], body: Data("[]".utf8))

// snippet.client
let server = try BaseURL("https://api.example.com/v1")
let client =
    network
    .authenticated(by: .bearer("a-long-secret"), at: server)
    .retrying()
    .followingRedirects()
let api = HTTPDispatcher(
    baseURL: server,
    client: client,
    settings: HTTPSettings(acceptsAnyMediaType: true)
)
// snippet.end
print(try await api.dispatch(ListNotes()).count)

// snippet.nio
func countNotes(at url: String) async throws -> Int {
    try await withNIOHTTPClient { client in
        let api = HTTPDispatcher(baseURL: try BaseURL(url), client: client)
        return try await api.dispatch(ListNotes()).count
    }
}
// snippet.end

do {
    print(try await countNotes(at: "http://127.0.0.1:1"))
} catch {
    print(error)
}

// snippet.mount
let notes = MessageAPI("notes") {
    LoadNote.authorized(.open)
    AddNote.authorized(.principal)
}
let router = Router()
let tokens = StaticTokenAuthenticator([TokenHash(of: "a-long-secret"): Principal(id: "ada")])
try router.mount(notes, try await container.dispatcher, at: "/v1", authenticator: tokens)
// snippet.end

let local = try HTTPDispatcher(notes, baseURL: server, client: RouterHTTPClient(router))
do {
    _ = try await local.dispatch(LoadNote(id: 7))
} catch let error as NoSuchNote {
    print("No note \(error.id)")
}

let documents = try StandardDispatcher { LoadDocumentHandler(editor: Editor()) }
print(try await documents.dispatch(LoadDocument()).text.isEmpty)

//! One suite of examples, which runs in this process, over HTTP, through a cache, and through a cluster.

// snippet.messages
import Duet
import DuetCaching
import DuetCluster
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird

// GET notes
struct ListNotes: HTTPQuery, Codable, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("notes")
}

// POST notes   {"text": …}
struct AddNote: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .post("notes").throwing(EmptyNote.self)
    let text: String
}

// DELETE notes/{text}
struct RemoveNote: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .delete("notes/{text}")
    let text: String
}

struct EmptyNote: HTTPProblem, Equatable {
    static let problemType = "https://example.com/problems/empty-note"
    var status: HTTPResponse.Status { .unprocessableContent }
}
// snippet.end

actor Notes {
    private(set) var all = ["Milk"]
    func add(_ text: String) { all.append(text) }
    func remove(_ text: String) { all.removeAll { $0 == text } }
}

struct ListNotesHandler: QueryHandler {
    let notes: Notes
    func handle(_ query: ListNotes) async throws -> [String] { await notes.all }
}

struct AddNoteHandler: CommandHandler {
    let notes: Notes
    func handle(_ command: AddNote) async throws {
        guard !command.text.isEmpty else { throw EmptyNote() }
        await notes.add(command.text)
    }
}

struct RemoveNoteHandler: CommandHandler {
    let notes: Notes
    func handle(_ command: RemoveNote) async throws { await notes.remove(command.text) }
}

func makeNotes() throws -> StandardDispatcher {
    let notes = Notes()
    return try StandardDispatcher {
        ListNotesHandler(notes: notes)
        AddNoteHandler(notes: notes)
        RemoveNoteHandler(notes: notes)
    }
}

// snippet.list
let notes = MessageAPI("notes") {
    ListNotes.authorized(.open)
    AddNote.authorized(.scope("write"))
    RemoveNote.authorized(.scope("admin")).ordered(by: \.text)
}
// snippet.end

// snippet.suite
let ada = Principal(id: "ada", scopes: ["write"])

let suite = MessageSuite(notes) {
    Example(ListNotes(), returns: ["Milk"])
    Example(AddNote(text: "Bread"), throws: AuthorizationError.unauthenticated)
    Example(AddNote(text: ""), throws: EmptyNote()).sent(by: ada)
    Example(AddNote(text: "Bread"), then: ListNotes(), returns: ["Milk", "Bread"]).sent(by: ada)
}

try await suite.check(
    in: .http(),
    .cache {
        try QueryCache(in: .memory(limit: .entries(100))) {
            Cache(ListNotes.self, .maxAge(.minutes(5)), scope: .shared)
            Invalidate(ListNotes.self, after: AddNote.self, RemoveNote.self)
        }
    },
    .cluster()
) { try makeNotes() }
// snippet.end

// snippet.skipping
try await suite.check(
    in: .http(),
    .skipping(.cache, because: "the screens cache nothing"),
    .skipping(.cluster, because: "one server is enough")
) { try makeNotes() }
// snippet.end

do {
    try await suite.check(
        in: .http(),
        .cache {
            try QueryCache(in: .memory(limit: .entries(100))) {
                Cache(ListNotes.self, .maxAge(.minutes(5)), scope: .shared)
            }
        },
        .skipping(.cluster, because: "one server is enough")
    ) { try makeNotes() }
} catch {
    print(error)
}

// snippet.authority
let door = try makeNotes().authorizing(notes)
try await withAuthority(.program("seeder")) {
    try await door.dispatch(AddNote(text: "Eggs"))
}
// snippet.end

// snippet.side
let closed = notes.authorizing(AddNote.self, .scope("admin"))
// snippet.end

// snippet.mount
func makeRouter(
    _ notes: MessageAPI,
    _ dispatcher: any Dispatcher,
    _ tokens: any TokenAuthenticator
) throws -> Router<BasicRequestContext> {
    let status = SuccessStatus(of: AddNote.self) { note, dispatcher in
        try await dispatcher.dispatch(ListNotes()).contains(note.text) ? .noContent : .created
    }
    let router = Router()
    try router.mount(notes, dispatcher, authenticator: tokens, options: MountOptions(statuses: [status]))
    return router
}
// snippet.end

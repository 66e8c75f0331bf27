//! An existing dispatcher, then the same one cached, invalidated, observed and checked; then the client of a REST API.

// snippet.messages
import Duet
import DuetCaching
// snippet.hide
import DuetHTTP
import DuetTesting
import HTTPTypes

// snippet.show

struct ListNotes: Query, Hashable {
    typealias Value = [String]

    let folder: String
}

struct AddNote: Command {
    let folder: String
    let text: String
}

struct SignOut: Command {}
// snippet.end

// snippet.existing
actor NotesServer {
    private(set) var requestCount = 0
    private var notes = ["home": ["Milk"]]

    func list(_ folder: String) -> [String] {
        requestCount += 1
        return notes[folder] ?? []
    }

    func add(_ text: String, to folder: String) { notes[folder, default: []].append(text) }
}

struct ListNotesHandler: QueryHandler {
    let server: NotesServer
    func handle(_ query: ListNotes) async throws -> [String] { await server.list(query.folder) }
}

struct AddNoteHandler: CommandHandler {
    let server: NotesServer
    func handle(_ command: AddNote) async throws { await server.add(command.text, to: command.folder) }
}

struct SignOutHandler: CommandHandler {
    func handle(_ command: SignOut) async throws {}
}

let server = NotesServer()
let remote = try StandardDispatcher {
    ListNotesHandler(server: server)
    AddNoteHandler(server: server)
    SignOutHandler()
}
// snippet.end

// snippet.cached
let dispatcher = try remote.caching(in: .memory(limit: .entries(1_000))) {
    Cache(ListNotes.self, .maxAge(.minutes(5)))
    Invalidate(ListNotes.self, after: AddNote.self) { query, command in query.folder == command.folder }
    Invalidate(everythingAfter: SignOut.self)
}
// snippet.end

// snippet.hit
_ = try await dispatcher.dispatch(ListNotes(folder: "home"))
_ = try await dispatcher.dispatch(ListNotes(folder: "home"))
print("Requests:", await server.requestCount)
// snippet.end

// snippet.invalidated
try await dispatcher.dispatch(AddNote(folder: "home", text: "Bread"))
print("Notes:", try await dispatcher.dispatch(ListNotes(folder: "home")))
print("Requests:", await server.requestCount)
// snippet.end

// snippet.observe
for try await notes in dispatcher.observe(ListNotes(folder: "home")) {
    print("The screen shows \(notes).")
    if notes.contains("Eggs") { break }
    try await dispatcher.dispatch(AddNote(folder: "home", text: "Eggs"))
}
// snippet.end

// snippet.explain
print(await dispatcher.cache.explain(ListNotes(folder: "home")))
print("Hits:", dispatcher.cache.statistics(of: ListNotes.self).hits)
// snippet.end

// snippet.check
let uncovered = try await dispatcher.uncoveredChanges(after: AddNote(folder: "home", text: "Tea"))
print(uncovered.isEmpty ? "Every change is covered by a rule." : "\(uncovered)")
// snippet.end

let incomplete = try remote.caching(in: .memory(limit: .entries(10))) { Cache(ListNotes.self, .maxAge(.minutes(5))) }
_ = try await incomplete.dispatch(ListNotes(folder: "home"))
print(try await incomplete.uncoveredChanges(after: AddNote(folder: "home", text: "Salt")))

// MARK: The client of a REST API

// snippet.rest
struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
    let talks: Int
}

// GET api/collections/speakers/records/{id}
struct LoadSpeaker: IDQuery, Hashable {
    typealias Value = Speaker
    static let route: QueryRoute<Self> = .get("api/collections/speakers/records/{id}")

    let id: String
}

// DELETE api/collections/speakers/records/{id}
struct RemoveSpeaker: IDCommand {
    static let route: CommandRoute<Self> = .delete("api/collections/speakers/records/{id}")

    let id: String
}

func makeAPI(_ client: any HTTPClient, at server: BaseURL) throws -> CachingDispatcher {
    try HTTPDispatcher(baseURL: server, client: client.logging { print($0) })
        .caching(in: .memory(limit: .entries(1_000))) {
            Cache(LoadSpeaker.self, .maxAge(.minutes(5)))
            Invalidate(LoadSpeaker.self, after: RemoveSpeaker.self) { query, command in query.id == command.id }
        }
}
// snippet.end

func run(_ client: any HTTPClient) async throws {
    // snippet.twice
    let api = try makeAPI(client, at: BaseURL("http://127.0.0.1:8090"))
    for number in 1...2 {
        let speaker = try await api.dispatch(LoadSpeaker(id: "speaker00000013"))
        print("Read \(number): \(speaker.name)")
    }
    // snippet.end
    try await api.dispatch(RemoveSpeaker(id: "speaker00000013"))
}

let records = "/api/collections/speakers/records/speaker00000013"
let pocketBase = MockHTTPClient()
pocketBase.expect(.get, records, json: #"{"id": "speaker00000013", "name": "Sebastian", "talks": 13, "photo": ""}"#)
pocketBase.expect(.delete, records, status: .noContent)
try await run(pocketBase)
precondition(pocketBase.missing == [])

//! An existing dispatcher, then the same one cached, invalidated, observed and checked.
// swift-format-ignore-file: OrderedImports

// snippet.messages
import Duet
import DuetCaching

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

func makeRemote(_ server: NotesServer) throws -> StandardDispatcher {
    try StandardDispatcher {
        ListNotesHandler(server: server)
        AddNoteHandler(server: server)
        SignOutHandler()
    }
}
// snippet.end

// snippet.cached
func makeNotes(_ server: NotesServer) throws -> CachingDispatcher {
    try makeRemote(server).caching(in: .memory(limit: .entries(1_000))) {
        Cache(ListNotes.self, .maxAge(.minutes(5)))
        Invalidate(ListNotes.self, after: AddNote.self) { query, command in query.folder == command.folder }
        Invalidate(everythingAfter: SignOut.self)
    }
}
// snippet.end

// snippet.hit
let server = NotesServer()
let dispatcher = try makeNotes(server)
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
for try await notes in dispatcher.observe(ListNotes(folder: "home")).values {
    print("The screen shows \(notes).")
    if notes.contains("Eggs") { break }
    try await dispatcher.dispatch(AddNote(folder: "home", text: "Eggs"))
}
// snippet.end

// snippet.explain
print(await dispatcher.cache.explain(ListNotes(folder: "home")))
print("Hits:", dispatcher.cache.statistics(of: ListNotes.self).hits)
// snippet.end

// snippet.test
import DuetTesting
import Testing

@Test func `the rules cover every change of a note`() async throws {
    let notes = try makeNotes(NotesServer())
    _ = try await notes.dispatch(ListNotes(folder: "home"))
    let uncovered = try await notes.uncoveredChanges(after: AddNote(folder: "home", text: "Tea"))
    #expect(uncovered == [])
}
// snippet.end

// Runs the test above. An expectation that fails outside of a test run is not noticed.
var testArguments = __CommandLineArguments_v0()
testArguments.quiet = true
let status: CInt = await Testing.__swiftPMEntryPoint(passing: testArguments)
precondition(status == 0)

let incomplete = try makeRemote(server).caching(in: .memory(limit: .entries(10))) {
    Cache(ListNotes.self, .maxAge(.minutes(5)))
}
_ = try await incomplete.dispatch(ListNotes(folder: "home"))
print(try await incomplete.uncoveredChanges(after: AddNote(folder: "home", text: "Salt")))

// snippet.states
@MainActor
func show(_ notes: [String]?, isLoading: Bool, error: (any Error)?) {
    print(notes ?? [], isLoading ? "loading" : "", error ?? "")
}

@MainActor
func runScreen(_ dispatcher: any Dispatcher) async {
    for await state in dispatcher.observe(ListNotes(folder: "home")) {
        show(state.value, isLoading: state.isLoading, error: state.error)
    }
}
// snippet.end

// snippet.read
func printNotes(_ dispatcher: any Dispatcher) async throws {
    let notes = try await dispatcher.read(ListNotes(folder: "home"), .freshOrStale)
    print(notes.value, notes.isStale ? "from \(notes.age) ago" : "")
}
// snippet.end
let screen = Task { await runScreen(dispatcher) }
try await printNotes(dispatcher)
screen.cancel()
await screen.value

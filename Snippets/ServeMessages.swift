//! The program of the guide "Serve messages", from its messages to its tests.
// swift-format-ignore-file: OrderedImports

// snippet.messages
import Duet
import DuetHTTP
import HTTPTypes

struct Note: Codable, Equatable, Sendable {
    let id: Int
    let text: String
}

// GET notes?limit=…
struct ListNotes: HTTPQuery, Validatable {
    typealias Value = [Note]
    static let route: QueryRoute<Self> = .get("notes").parameterDefaults(["limit": "20"])

    var limit = 20

    func validate() throws {
        guard 1...100 ~= limit else { throw InvalidLimit() }
    }
}

// POST notes   {"id": …, "text": …}
struct AddNote: HTTPCommand {
    static let route: CommandRoute<Self> = .post("notes").throwing(NoteExists.self)

    let id: Int
    let text: String
}

struct InvalidLimit: Error, CustomStringConvertible {
    var description: String { "limit must be 1 to 100." }
}

struct NoteExists: HTTPProblem, CustomStringConvertible {
    static let problemType = "tag:notes.example,2026:note-exists"
    let id: Int
    var status: HTTPResponse.Status { .conflict }
    var description: String { "There is already a note \(id)." }
}

/// The messages of the API, and who may send them.
let notesAPI = MessageAPI("notes") {
    ListNotes.authorized(.open)
    AddNote.authorized(.open)
}
// snippet.end

// snippet.handlers
import Duet

actor NoteStore {
    private(set) var notes: [Note] = []

    func add(_ note: Note) throws {
        guard !notes.contains(where: { $0.id == note.id }) else { throw NoteExists(id: note.id) }
        notes.append(note)
    }
}

struct ListNotesHandler: QueryHandler {
    let store: NoteStore

    func handle(_ query: ListNotes) async throws -> [Note] {
        Array(await store.notes.prefix(query.limit))
    }
}

struct AddNoteHandler: CommandHandler {
    let store: NoteStore

    func handle(_ command: AddNote) async throws {
        try await store.add(Note(id: command.id, text: command.text))
    }
}
// snippet.end

// snippet.server
import Duet
import DuetHTTP
import DuetHummingbird
import Hummingbird

func makeRouter(_ store: NoteStore) throws -> Router<BasicRequestContext> {
    let dispatcher = try StandardDispatcher {
        ListNotesHandler(store: store)
        AddNoteHandler(store: store)
    }
    let router = Router()
    try router.mount(notesAPI, dispatcher)
    return router
}

func makeServer(_ router: Router<BasicRequestContext>) -> some ApplicationProtocol {
    Application(
        router: router,
        limits: ServerLimits(),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
    )
}
// snippet.end

// snippet.client
import Duet
import DuetHTTP
import DuetURLSession

func makeNotes(at url: String) throws -> HTTPDispatcher {
    try HTTPDispatcher(notesAPI, baseURL: BaseURL(url), client: URLSessionHTTPClient().retrying())
}

func add(_ text: String, to notes: some Dispatcher) async throws {
    let next = try await notes.dispatch(ListNotes(limit: 100)).count + 1
    do {
        try await notes.dispatch(AddNote(id: next, text: text))
    } catch let error as NoteExists {
        print("Another client has added note \(error.id) in the meantime. Try again.")
    }
}

func printNotes(of notes: some Dispatcher) async throws {
    for note in try await notes.dispatch(ListNotes()) { print(note.id, note.text) }
}
// snippet.end

// snippet.main
let arguments = CommandLine.arguments.dropFirst()
let url = "http://127.0.0.1:8080"
do {
    switch arguments.first {
    case "serve": try await makeServer(makeRouter(NoteStore())).runService()
    case "add": try await add(arguments.dropFirst().joined(separator: " "), to: makeNotes(at: url))
    case "list": try await printNotes(of: makeNotes(at: url))
    default: print("notes serve | notes add TEXT | notes list")
    }
} catch {
    print(error)
}
// snippet.end

// snippet.test
import DuetHTTP
import DuetTesting
import Testing

@Suite struct NotesTests {
    private let notes: HTTPDispatcher

    init() throws {
        let client = RouterHTTPClient(try makeRouter(NoteStore()))
        notes = try HTTPDispatcher(notesAPI, baseURL: BaseURL("http://localhost"), client: client)
    }

    @Test func `a note that was added is listed`() async throws {
        try await notes.dispatch(AddNote(id: 1, text: "Buy milk"))
        #expect(try await notes.dispatch(ListNotes()) == [Note(id: 1, text: "Buy milk")])
    }

    @Test func `an id is used once`() async throws {
        try await notes.dispatch(AddNote(id: 1, text: "Buy milk"))
        await #expect(throws: NoteExists.self) { try await notes.dispatch(AddNote(id: 1, text: "Buy tea")) }
        #expect(try await notes.dispatch(ListNotes()).count == 1)
    }

    @Test func `a list has at most 100 notes`() async throws {
        await #expect(throws: InvalidLimit.self) { try await notes.dispatch(ListNotes(limit: 101)) }
    }
}
// snippet.end

// snippet.public
func makePublicRouter(_ store: NoteStore) throws -> Router<BasicRequestContext> {
    let dispatcher = try StandardDispatcher {
        ListNotesHandler(store: store)
        AddNoteHandler(store: store)
    }
    let router = Router()
    router.add(middleware: RequestLoggingMiddleware(.info))
    router.add(middleware: CompressionMiddleware())
    router.add(middleware: HostMiddleware(.listening(on: "127.0.0.1", names: ["notes.example.org"])))
    router.health(checks: [HealthCheck("notes") { _ = try await dispatcher.dispatch(ListNotes()) }])
    let options = MountOptions(maximumJSONBody: 16_384, maximumDuration: .seconds(10))
    try router.mount(notesAPI, dispatcher, options: options)
    return router
}
// snippet.end

// Runs the tests above. An expectation that fails outside of a test run is not noticed.
var testArguments = __CommandLineArguments_v0()
testArguments.quiet = true
let status: CInt = await Testing.__swiftPMEntryPoint(passing: testArguments)
precondition(status == 0)
let store = NoteStore()
try await withThrowingTaskGroup { group in
    let (ports, started) = AsyncStream<Int>.makeStream()
    let server = Application(
        router: try makeRouter(store),
        limits: ServerLimits(),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { started.yield($0.localAddress?.port ?? 0) }
    )
    group.addTask { try await server.run() }
    for await port in ports {
        let notes = try makeNotes(at: "http://127.0.0.1:\(port)")
        try await add("Buy milk", to: notes)
        try await printNotes(of: notes)
        break
    }
    group.cancelAll()
}
let client = RouterHTTPClient(try makePublicRouter(store))
for path in ["/ready", "/notes?limit=101", "/note"] {
    let request = HTTPRequest(method: .get, scheme: "http", authority: "notes.example.org", path: path)
    let (response, body) = try await client.data(for: request)
    print(path, response.status.code, String(decoding: body, as: UTF8.self))
}

//! Tests of a handler, a dispatcher, a feature, a container, a server, a client, screens, and stores.

// snippet.app
import Duet
import DuetCaching
import DuetDependencies
import DuetHTTP
// snippet.hide
import DuetHTTPCaching
// snippet.show
import DuetHummingbird
import Hummingbird

struct Note: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    let text: String
}

// GET notes?after=…
struct ListNotes: HTTPQuery, Hashable {
    typealias Value = [Note]
    static let route: QueryRoute<Self> = .get("notes")

    let after: Int
}

// POST notes   {"text": …}
struct AddNote: HTTPCommand, Equatable {
    static let route: CommandRoute<Self> = .post("notes")

    let text: String
}

let notesAPI = MessageAPI("notes", authorized: .open) {
    ListNotes.self
    AddNote.self
}

protocol NoteStore: Sendable {
    func list() async throws -> [Note]
    func add(_ text: String) async throws
}

struct ListNotesHandler: QueryHandler, Resolvable {
    let store: any NoteStore
    static var dependencies: [ResolvedDependency] { [ResolvedDependency((any NoteStore).self)] }

    init(store: any NoteStore) { self.store = store }

    init(from scope: Scope) async throws { self.init(store: try await scope.resolve()) }

    func handle(_ query: ListNotes) async throws -> [Note] {
        try await store.list().filter { $0.id > query.after }
    }
}

struct AddNoteHandler: CommandHandler, Resolvable {
    let store: any NoteStore
    static var dependencies: [ResolvedDependency] { [ResolvedDependency((any NoteStore).self)] }

    init(store: any NoteStore) { self.store = store }

    init(from scope: Scope) async throws { self.init(store: try await scope.resolve()) }

    func handle(_ command: AddNote) async throws { try await store.add(command.text) }
}
// snippet.end

// snippet.module
/// The store of the application.
actor FileNoteStore: NoteStore {
    func list() async throws -> [Note] { preconditionFailure("A test must not read files.") }
    func add(_ text: String) async throws { preconditionFailure("A test must not write files.") }
}

struct NotesModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.singleton((any NoteStore).self) { FileNoteStore() }
        builder.handlers {
            ListNotesHandler.self
            AddNoteHandler.self
        }
    }
}
// snippet.end

// snippet.feature
/// The subject of a test: copies the newest note.
func copyLastNote(with dispatcher: any Dispatcher) async throws {
    let notes = try await dispatcher.dispatch(ListNotes(after: 0))
    if let last = notes.last { try await dispatcher.dispatch(AddNote(text: last.text)) }
}
// snippet.end

// snippet.fake
// snippet.hide
// swift-format-ignore: OrderedImports
// snippet.show
import DuetTesting

// snippet.hide
// swift-format-ignore: OrderedImports
// snippet.show
import Testing

actor FakeNoteStore: NoteStore {
    private(set) var notes: [Note] = []

    func list() -> [Note] { notes }
    func add(_ text: String) { notes.append(Note(id: notes.count + 1, text: text)) }
}
// snippet.end

// snippet.handler
@Test
func `adding a note stores it`() async throws {
    let store = FakeNoteStore()
    try await AddNoteHandler(store: store).handle(AddNote(text: "Milk"))
    #expect(await store.notes == [Note(id: 1, text: "Milk")])
}

@Test
func `listing notes returns those after an id, and changes nothing`() async throws {
    let store = FakeNoteStore()
    for text in ["Milk", "Bread"] { await store.add(text) }
    let before = await store.notes
    #expect(try await ListNotesHandler(store: store).handle(ListNotes(after: 1)) == [Note(id: 2, text: "Bread")])
    #expect(await store.notes == before)
}
// snippet.end

// snippet.dispatcher
@Test
func `an added note is listed`() async throws {
    let store = FakeNoteStore()
    let dispatcher = try StandardDispatcher {
        ListNotesHandler(store: store)
        AddNoteHandler(store: store)
    }
    try await dispatcher.dispatch(AddNote(text: "Milk"))
    #expect(try await dispatcher.dispatch(ListNotes(after: 0)).map(\.text) == ["Milk"])
}
// snippet.end

// snippet.spytest
@Test
func `copying adds the last note again`() async throws {
    let spy = SpyDispatcher { Issue.record($0) }
    spy.stub(ListNotes.self) { query in query.after == 0 ? [Note(id: 7, text: "Bread")] : [] }
    spy.stub(AddNote.self)

    try await copyLastNote(with: spy)

    #expect(spy.messages(of: AddNote.self) == [AddNote(text: "Bread")])
    #expect(spy.messageNames == [ListNotes.messageName, AddNote.messageName])
}
// snippet.end

// snippet.containertest
@Test
func `the module wires its handlers, and releases its store`() async throws {
    let leaks = LeakTracker()
    let fake = Override((any NoteStore).self) { leaks.track(FakeNoteStore()) }
    let notes = try await withContainer(of: NotesModule(), overriding: fake) { container in
        let dispatcher = try await container.dispatcher
        try await dispatcher.dispatch(AddNote(text: "Milk"))
        return try await dispatcher.dispatch(ListNotes(after: 0))
    }
    #expect(notes.map(\.text) == ["Milk"])
    #expect(leaks.count == 1)
    #expect(leaks.alive == [])
}
// snippet.end

// snippet.server
@Test
func `the server stores a note that a client adds`() async throws {
    let store = FakeNoteStore()
    let dispatcher = try StandardDispatcher {
        ListNotesHandler(store: store)
        AddNoteHandler(store: store)
    }
    let router = Router()
    try router.mount(notesAPI, dispatcher)
    let client = RouterHTTPClient(router)
    let api = try HTTPDispatcher(notesAPI, baseURL: BaseURL("http://localhost"), client: client)
    try await api.dispatch(AddNote(text: "Milk"))
    #expect(try await api.dispatch(ListNotes(after: 0)) == [Note(id: 1, text: "Milk")])
}
// snippet.end

// snippet.client
@Test
func `the client sends what the server expects`() async throws {
    let client = MockHTTPClient { Issue.record($0) }
    client.expect(.get, "/notes?after=0", json: #"[{"id": 1, "text": "Milk"}]"#)
    client.expect(.post, "/notes", status: .noContent)

    try await copyLastNote(with: HTTPDispatcher(baseURL: BaseURL("http://localhost"), client: client))

    #expect(client.requestLines == ["GET /notes?after=0", "POST /notes"])
    #expect(client.missing == [])
}
// snippet.end

// snippet.screens
@MainActor
struct NotesScreenTests {
    let spy = SpyDispatcher()
    let clock = ManualClock()

    func makeScreen() throws -> PagedModel<ListNotes, Note> {
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10)), now: { clock.date }, clock: clock) {
            Cache(ListNotes.self, .maxAge(.minutes(5)).hardTimeout(.seconds(10)))
            Invalidate(ListNotes.self, after: AddNote.self)
        }
        return PagedModel(ListNotes(after: 0), in: dispatcher, items: { $0 }) { _, page in
            page.last.map { ListNotes(after: $0.id) }
        }
    }

    @Test
    func `notes appear when they are loaded`() async throws {
        let gate = Gate()
        spy.stub(ListNotes.self) { _ in
            try await gate.pass()
            return [Note(id: 1, text: "Milk")]
        }
        let screen = try makeScreen()
        let load = Task { await screen.load() }
        await gate.arrivals(1)
        #expect(screen.isLoading)

        gate.open()
        await load.value
        #expect(screen.items == [Note(id: 1, text: "Milk")])
    }

    @Test
    func `a canceled load shows no error`() async throws {
        let gate = Gate()
        spy.stub(ListNotes.self) { _ in
            try await gate.pass()
            return []
        }
        let screen = try makeScreen()
        let load = Task { await screen.load() }
        await gate.arrivals(1)
        load.cancel()
        await load.value
        #expect(screen.error == nil)
        #expect(!screen.isLoading)
    }

    @Test
    func `a load that takes too long is an error`() async throws {
        let gate = Gate()
        spy.stub(ListNotes.self) { _ in
            try await gate.pass()
            return []
        }
        let screen = try makeScreen()
        let load = Task { await screen.load() }
        await clock.nextSleeper()
        clock.advance(by: .seconds(10))
        await load.value
        #expect(screen.error is CacheTimeout)
        gate.open()
    }

    @Test
    func `notes that are five minutes old are loaded again`() async throws {
        spy.stub(ListNotes.self, returning: [])
        let screen = try makeScreen()
        await screen.load()
        clock.advance(by: .minutes(5))
        await screen.load()
        #expect(spy.messages(of: ListNotes.self).count == 2)
    }
}
// snippet.end

// snippet.rules
@Test
func `every change of a command is covered by a rule`() async throws {
    let store = FakeNoteStore()
    let dispatcher = try StandardDispatcher {
        ListNotesHandler(store: store)
        AddNoteHandler(store: store)
    }
    .caching(in: .memory(limit: .entries(10))) {
        Cache(ListNotes.self, .maxAge(.minutes(5)))
        Invalidate(ListNotes.self, after: AddNote.self)
    }
    _ = try await dispatcher.dispatch(ListNotes(after: 0))
    let uncovered = try await dispatcher.uncoveredChanges(after: AddNote(text: "Milk"))
    #expect(uncovered == [])
}
// snippet.end

// snippet.contract
// snippet.hide
// swift-format-ignore: OrderedImports
// snippet.show
import DuetContracts

@Test(arguments: CacheStoreContract.allCases)
func `the store keeps its contract`(clause: CacheStoreContract) async throws {
    try await clause.verify(isDurable: false) { InMemoryCacheStore() }
}
// snippet.end

// snippet.commandcontract
@Test(arguments: CommandStoreContract.allCases)
func `the store keeps its contract`(clause: CommandStoreContract) async throws {
    try await clause.verify(isDurable: false) { InMemoryCommandStore(limit: $0) }
}
// snippet.end

// snippet.httpcontract
@Test(arguments: HTTPCacheStoreContract.allCases)
func `the HTTP store keeps its contract`(clause: HTTPCacheStoreContract) async throws {
    try await clause.verify { InMemoryHTTPCacheStore() }
}
// snippet.end

// snippet.faults
@Test
func `a store that fails does not fail a query`() async throws {
    struct DiskFull: Error {}
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self, returning: [Note(id: 1, text: "Milk")])
    let store = FaultyCacheStore()
    store.inject(.failure(DiskFull()), into: .insert, at: 1)
    let dispatcher = try spy.caching(in: .memory(limit: .entries(10)).backed(by: store)) {
        Cache(ListNotes.self, .maxAge(.minutes(5))).stored(version: 1)
    }
    #expect(try await dispatcher.dispatch(ListNotes(after: 0)).count == 1)
    try await dispatcher.cache.flush()
    #expect(store.callCount(of: .insert) == 1)
}
// snippet.end

// Runs the tests above. An expectation that fails outside of a test run is not noticed.
var testArguments = __CommandLineArguments_v0()
testArguments.quiet = true
let status: CInt = await Testing.__swiftPMEntryPoint(passing: testArguments)
precondition(status == 0)
print("All tests have passed.")

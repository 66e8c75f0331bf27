//! A container with macros: lifetimes, names, modules, scopes, overrides and faults; and a checked dispatcher.

import Duet
import DuetDependencies
import DuetMacros
import DuetTesting

struct AddNote: Command {
    let text: String
}

struct ListNotes: Query {
    typealias Value = [String]
}

// snippet.store
protocol NoteStore: Sendable {
    func add(_ note: String) async throws
    func notes() async throws -> [String]
}

actor InMemoryNoteStore: NoteStore {
    private var stored: [String]

    init(_ notes: [String] = []) { stored = notes }

    func add(_ note: String) { stored.append(note) }
    func notes() -> [String] { stored }
}

struct User: Sendable {
    let name: String
}
// snippet.end

// snippet.disposable
/// Collects notes and stores them when they are committed.
actor Transaction: Disposable {
    private let store: any NoteStore
    private var pending: [String] = []

    init(store: any NoteStore) { self.store = store }

    func add(_ note: String) { pending.append(note) }

    func commit() async throws {
        for note in pending { try await store.add(note) }
        pending = []
    }

    func dispose() { pending = [] }
}
// snippet.end

// snippet.resolvable
@Resolvable
struct AddNoteHandler: CommandHandler {
    let transaction: Transaction
    let user: User

    func handle(_ command: AddNote) async throws {
        await transaction.add("\(user.name): \(command.text)")
        try await transaction.commit()
    }
}

@Resolvable
struct ListNotesHandler: QueryHandler {
    let store: any NoteStore
    let formatter: NoteFormatter?
    var limit = 100

    func handle(_ query: ListNotes) async throws -> [String] {
        let notes = try await store.notes().prefix(limit)
        return notes.map { formatter?.format($0) ?? $0 }
    }
}
// snippet.end

struct NoteFormatter {
    func format(_ note: String) -> String { note }
}

// snippet.name
extension DependencyName {
    static let archive: DependencyName = "archive"
}
// snippet.end

// snippet.named
@Resolvable
struct Report {
    @Named(.archive) let archive: any NoteStore
    @Named("imported") let imported: (any NoteStore)?
    let all: [any NoteStore]

    func text() async throws -> String { "\(try await archive.notes().count) of \(all.count) stores" }
}
// snippet.end

// snippet.inject
@Resolvable
final class NoteCounter: Sendable {
    let store: any NoteStore

    @Inject
    init(store: any NoteStore) {
        self.store = store
    }

    init(counting notes: [String]) {
        store = InMemoryNoteStore(notes)
    }
}
// snippet.end

// snippet.module
struct StoreModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.singleton((any NoteStore).self) { InMemoryNoteStore() }
        builder.singleton((any NoteStore).self, named: .archive) { InMemoryNoteStore(["Old"]) }
    }
}
// snippet.end

// snippet.handlers
struct NotesModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.scoped { (store: any NoteStore) in Transaction(store: store) }
        builder.scoped { User(name: "guest") }
        builder.handlers {
            AddNoteHandler.self
            ListNotesHandler.self
        }
    }
}
// snippet.end

// snippet.screen
/// Exists as long as its scope, with everything that it depends on.
@Resolvable
@MainActor
final class NotesScreen {
    let dispatcher: any Dispatcher
    let user: User
    private(set) var notes: [String] = []

    func load() async throws { notes = try await dispatcher.dispatch(ListNotes()) }
}
// snippet.end

// snippet.build
let builder = ContainerBuilder()
builder.install(StoreModule())
builder.install(NotesModule())
builder.scoped(NotesScreen.self)
builder.transient(Report.self)
let container = try builder.build()
// snippet.end

// snippet.dispatch
let dispatcher = try await container.dispatcher
try await dispatcher.dispatch(AddNote(text: "Milk"))
let notes = try await dispatcher.dispatch(ListNotes())
// snippet.end
precondition(notes == ["guest: Milk"])

// snippet.graph
print(container.graph)
// snippet.end

// snippet.scope
try await container.withScope(overriding: Override { User(name: "Ada") }) { scope in
    let screen = try await scope.resolve(NotesScreen.self)
    try await screen.dispatcher.dispatch(AddNote(text: "Bread"))
    try await screen.load()
    print(screen.notes)
}
// snippet.end

// snippet.manual
let session = try container.makeScope(overriding: Override { User(name: "Grace") })
try await session.dispatcher.dispatch(AddNote(text: "Eggs"))
await session.dispose()
// snippet.end

// snippet.overriding
let test = try container.overriding(Override((any NoteStore).self) { InMemoryNoteStore(["Test"]) })
let tested = try await test.dispatcher.dispatch(ListNotes())
// snippet.end
precondition(tested == ["Test"])

// snippet.withcontainer
let fakeStore = Override((any NoteStore).self) { InMemoryNoteStore(["Milk"]) }
let found = try await withContainer(of: StoreModule(), NotesModule(), overriding: fakeStore) { container in
    try await container.dispatcher.dispatch(ListNotes())
}
// snippet.end
precondition(found == ["Milk"])

// snippet.replacing
let fake = ContainerBuilder()
fake.install(StoreModule())
fake.replacing.singleton((any NoteStore).self) { InMemoryNoteStore(["Fake"]) }
// snippet.end
let replaced: any NoteStore = try await fake.build().resolve()
let fakeNotes = try await replaced.notes()
precondition(fakeNotes == ["Fake"])

// snippet.lifetimes
func registerInThreeWays(in builder: ContainerBuilder) {
    // A `@Resolvable` type creates itself.
    builder.transient(NoteCounter.self)
    // A `@Resolvable` type, resolved by its protocol. The closure converts one to the other.
    builder.singleton((any Counter).self, as: StoreCounter.self) { $0 }
    // The parameters of a factory are its dependencies. It may be `async`, throw, and run on the main actor.
    builder.scoped { (store: any NoteStore) in try await Snapshot.taken(from: store) }
}
// snippet.end

protocol Counter: Sendable {}

@Resolvable
struct StoreCounter: Counter {
    let store: any NoteStore
}

struct Snapshot {
    let notes: [String]

    static func taken(from store: any NoteStore) async throws -> Snapshot { Snapshot(notes: try await store.notes()) }
}

// snippet.opaque
func registerOpaquely(in builder: ContainerBuilder) {
    builder.transient { scope in
        let user: User = try await scope.resolve()
        return Greeting(text: "Hello, \(user.name)")
    }
}
// snippet.end

struct Greeting {
    let text: String
}

let more = ContainerBuilder()
more.install(StoreModule())
more.scoped { User(name: "guest") }
registerInThreeWays(in: more)
registerOpaquely(in: more)
let moreContainer = try more.build()
try await moreContainer.withScope { scope in
    let greeting = try await scope.resolve(Greeting.self).text
    precondition(greeting == "Hello, guest")
    _ = try await (scope.resolve(NoteCounter.self), scope.resolve((any Counter).self), scope.resolve(Snapshot.self))
}

// snippet.dispatcher
@Dispatcher
struct NotesDispatcher {
    let addNote: AddNoteHandler
    let listNotes: any QueryHandler<ListNotes> & Sendable
}

let store = InMemoryNoteStore()
let app = NotesDispatcher(
    addNote: AddNoteHandler(transaction: Transaction(store: store), user: User(name: "Ada")),
    listNotes: ListNotesHandler(store: store, formatter: nil)
)
try await app.dispatch(AddNote(text: "Milk"))
let listed = try await app.dispatch(ListNotes())
// snippet.end
precondition(listed == ["Ada: Milk"])

// snippet.any
let anyDispatcher: any Dispatcher = try app.dispatcher.validating()
try await anyDispatcher.dispatch(AddNote(text: "Bread"))
// snippet.end

// snippet.both
@Dispatcher
@Resolvable
struct ResolvedDispatcher {
    let addNote: AddNoteHandler
    let listNotes: ListNotesHandler
}
// snippet.end

// snippet.faults
let broken = ContainerBuilder()
broken.transient(Report.self)
broken.handlers { AddNoteHandler.self }
do {
    _ = try broken.build()
} catch {
    print(error)
}
// snippet.end

await container.dispose()

//! An uncached dispatcher, then the same one cached, invalidated, observed, stored and tested.

import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation

// snippet.messages
struct ListNotes: Query, Hashable, Codable {
    typealias Value = [String]

    let folder: String
}

struct AddNote: Command {
    let folder: String
    let text: String
}

struct SignOut: Command {}
// snippet.end

/// The existing API.
actor NotesServer {
    private(set) var requests = 0
    private var notes: [String: [String]] = ["home": ["Milk"]]

    func list(_ folder: String) -> [String] {
        requests += 1
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
print(await server.requests)  // 1

try await dispatcher.dispatch(AddNote(folder: "home", text: "Bread"))
print(try await dispatcher.dispatch(ListNotes(folder: "home")))  // ["Milk", "Bread"]
// snippet.end

// snippet.observe
let screen = Task {
    for try await notes in dispatcher.observe(ListNotes(folder: "home")) {
        print("The screen shows \(notes).")
        if notes.count == 3 { break }
    }
}
try await dispatcher.dispatch(AddNote(folder: "home", text: "Eggs"))
try await screen.value
// snippet.end

// snippet.result
let result = try await dispatcher.result(of: ListNotes(folder: "home"), reading: .freshOrStale)
print(result.value, result.origin, result.age, result.isStale)
// snippet.end

// snippet.modes
let offline = try await dispatcher.result(of: ListNotes(folder: "home"), reading: .cacheOnly)
for try await step in dispatcher.cachedThenLoaded(ListNotes(folder: "home")) {
    print(step.origin == .loaded ? "loaded" : "cached", step.value)
}
// snippet.end
print(offline.value)

// snippet.policy
let patient = CachePolicy<[String]>
    .maxAge(.minutes(5))
    .staleWhileRevalidate(.hours(1))
    .staleIfError(.days(7))
    .softTimeout(.seconds(2))
    .hardTimeout(.seconds(10))
// snippet.end

// snippet.store
let store = InMemoryCacheStore()  // In an application: try SQLiteCacheStore(path: …), from DuetSQLite.
let lasting = try remote.caching(in: .memory(limit: .entries(1_000)).backed(by: store)) {
    Cache(ListNotes.self, patient).stored(version: 1)
    Invalidate(ListNotes.self, after: AddNote.self) { query, command in query.folder == command.folder }
}
// snippet.end
_ = try await lasting.dispatch(ListNotes(folder: "home"))
// snippet.flush
try await lasting.cache.flush()
// snippet.end

// snippet.explain
print(await dispatcher.cache.explain(ListNotes(folder: "home")))
print(dispatcher.cache.statistics(of: ListNotes.self))
// snippet.end

// snippet.check
let uncovered = try await dispatcher.uncoveredChanges(after: AddNote(folder: "home", text: "Tea"))
print(uncovered.isEmpty ? "Every change is covered by a rule." : "\(uncovered)")
// snippet.end

// snippet.events
let elsewhere = try remote.caching(in: .memory(limit: .entries(1_000))) {
    Cache(ListNotes.self, .maxAge(.minutes(5)))
    Invalidate(ListNotes.self, after: AddNote.self) { query, command in query.folder == command.folder }
}
let invalidations = dispatcher.cache.invalidations
let connection = Task {
    for await invalidation in invalidations { elsewhere.cache.apply(invalidation) }
}
// snippet.end
connection.cancel()

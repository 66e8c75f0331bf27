//! Tests: a spy that stands in for a dispatcher, a container with overrides for one test, and instances that must be gone.

import Duet
import DuetDependencies
import DuetTesting

// snippet.hide
struct LoadNotes: Query {
    typealias Value = [String]
    var after: Int
}

struct AddNote: Command, Equatable {
    var text: String
}

protocol Store: Sendable {
    var notes: [String] { get }
}

struct FileStore: Store {
    var notes: [String] { preconditionFailure("A test must not read files.") }
}

struct LoadNotesHandler: QueryHandler, Resolvable {
    let store: any Store

    static var dependencies: [Dependency] { [Dependency((any Store).self)] }

    init(from scope: Scope) async throws {
        store = try await scope.resolve()
    }

    func handle(_ query: LoadNotes) async throws -> [String] { Array(store.notes.dropFirst(query.after)) }
}

struct NotesModule: ContainerModule {
    func register(in builder: ContainerBuilder) {
        builder.singleton((any Store).self) { FileStore() }
        builder.handlers { LoadNotesHandler.self }
    }
}

/// The subject of the first test.
func copyLastNote(with dispatcher: any Dispatcher) async throws {
    let notes = try await dispatcher.dispatch(LoadNotes(after: 0))
    if let last = notes.last { try await dispatcher.dispatch(AddNote(text: last)) }
}

// snippet.show
// snippet.spy
let spy = SpyDispatcher()
spy.stub(LoadNotes.self) { query in query.after == 0 ? ["milk", "bread"] : [] }
spy.stub(AddNote.self)

try await copyLastNote(with: spy)

assert(spy.messages(of: AddNote.self) == [AddNote(text: "bread")])
assert(spy.messageNames == [LoadNotes.messageName, AddNote.messageName])
// snippet.end

// snippet.container
final class FakeStore: Store {
    let notes = ["milk", "bread"]
}

let leaks = LeakTracker()
let fake = Override((any Store).self) { leaks.track(FakeStore()) }
let notes = try await withContainer(of: NotesModule(), overriding: fake) { container in
    let dispatcher = try await container.dispatcher
    return try await dispatcher.dispatch(LoadNotes(after: 1))
}
assert(notes == ["bread"])
assert(leaks.alive == [])
// snippet.end
// snippet.hide
precondition(spy.messages(of: AddNote.self) == [AddNote(text: "bread")])
precondition(notes == ["bread"] && leaks.count == 1 && leaks.alive == [])
do {
    _ = try await SpyDispatcher().dispatch(LoadNotes(after: 0))
    preconditionFailure("Nothing was stubbed.")
} catch let unstubbed as UnstubbedMessage {
    print(unstubbed)
}

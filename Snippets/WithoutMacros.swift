//! The container without macros: nothing of swift-syntax is built.

import Duet
import DuetDependencies

struct AddNote: Command {
    let text: String
}

struct ListNotes: Query {
    typealias Value = [String]
}

struct CountNotes: Query {
    typealias Value = Int
}

actor Notebook {
    private(set) var notes: [String] = []
    func add(_ note: String) { notes.append(note) }
}

struct AddNoteHandler: CommandHandler {
    let notebook: Notebook
    func handle(_ command: AddNote) async throws { await notebook.add(command.text) }
}

struct ListNotesHandler: QueryHandler {
    let notebook: Notebook
    func handle(_ query: ListNotes) async throws -> [String] { await notebook.notes }
}

// snippet.container
let builder = ContainerBuilder()
builder.singleton { Notebook() }
builder.transient { (notebook: Notebook) in AddNoteHandler(notebook: notebook) }
builder.transient { (notebook: Notebook) in ListNotesHandler(notebook: notebook) }
builder.handlers {
    AddNoteHandler.self
    ListNotesHandler.self
}
builder.middleware(ValidationMiddleware(), TimeoutMiddleware(.seconds(2)))
let container = try builder.build()
let dispatcher = try await container.dispatcher
// snippet.end
try await dispatcher.dispatch(AddNote(text: "Milk"))
let notes = try await dispatcher.dispatch(ListNotes())
print(notes)
precondition(notes == ["Milk"])

// snippet.resolvable
struct CountNotesHandler: QueryHandler, Resolvable {
    let notebook: Notebook

    static var dependencies: [ResolvedDependency] { [ResolvedDependency(Notebook.self)] }

    init(from scope: Scope) async throws {
        notebook = try await scope.resolve()
    }

    func handle(_ query: CountNotes) async throws -> Int { await notebook.notes.count }
}
// snippet.end

let counting = ContainerBuilder()
counting.singleton { Notebook() }
counting.handlers { CountNotesHandler.self }
let count = try await counting.build().dispatcher.dispatch(CountNotes())
precondition(count == 0)

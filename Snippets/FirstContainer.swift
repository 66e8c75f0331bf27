//! The handlers of FirstHour.swift, made by a container.

import Duet
import DuetDependencies

// snippet.hide
struct AddNote: Command {
    let text: String
}

struct ListNotes: Query {
    typealias Value = [String]
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

// snippet.show
let builder = ContainerBuilder()
builder.singleton { Notebook() }
builder.transient { (notebook: Notebook) in AddNoteHandler(notebook: notebook) }
builder.transient { (notebook: Notebook) in ListNotesHandler(notebook: notebook) }
builder.handlers {
    AddNoteHandler.self
    ListNotesHandler.self
}
builder.middleware(.validation, .timeout(.seconds(2)))
let container = try builder.build()
let dispatcher = try await container.dispatcher
// snippet.hide
try await dispatcher.dispatch(AddNote(text: "Milk"))
let notes = try await dispatcher.dispatch(ListNotes())
precondition(notes == ["Milk"])

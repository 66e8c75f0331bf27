//! A command, a query and their handlers, with the core alone.

import Duet

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

let notebook = Notebook()
let dispatcher = try StandardDispatcher {
    AddNoteHandler(notebook: notebook)
    ListNotesHandler(notebook: notebook)
}
try await dispatcher.dispatch(AddNote(text: "Milk"))
print(try await dispatcher.dispatch(ListNotes()))

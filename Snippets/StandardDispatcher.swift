//! Dispatchers with the core alone: the standard one, and a custom one.

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

// snippet.standard
let notebook = Notebook()
let dispatcher = try StandardDispatcher {
    AddNoteHandler(notebook: notebook)
    ListNotesHandler(notebook: notebook)
}
try await dispatcher.dispatch(AddNote(text: "Milk"))
let notes = try await dispatcher.dispatch(ListNotes())
// snippet.end
precondition(notes == ["Milk"])

// snippet.custom
/// Sends commands to one dispatcher and queries to another, such as a read replica.
struct SplitDispatcher: Dispatcher {
    let writer: any Dispatcher
    let reader: any Dispatcher

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await (M.self is any Command.Type ? writer : reader).dispatch(message)
    }
}

let replica = Notebook()
let split = SplitDispatcher(
    writer: dispatcher,
    reader: try StandardDispatcher { ListNotesHandler(notebook: replica) }
)
// snippet.end

// snippet.halves
/// Reads and cannot write.
func report(with notes: any QueryDispatcher) async throws -> String {
    try await notes.dispatch(ListNotes()).joined(separator: ", ")
}

/// Writes and cannot read.
func importNotes(_ texts: [String], with notes: any CommandDispatcher) async throws {
    for text in texts { try await notes.dispatch(AddNote(text: text)) }
}
// snippet.end

try await importNotes(["Bread", "Eggs"], with: split)
print(try await report(with: dispatcher))
let replicated = try await report(with: split)
precondition(replicated.isEmpty)

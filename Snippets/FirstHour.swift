//! A command, a query, and their handlers, with the core alone; then middleware and tests.

// snippet.core
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
// snippet.end

// snippet.logging
let logged = dispatcher.logging { event in print(event.message, event.error ?? "succeeded") }
try await logged.dispatch(AddNote(text: "Bread"))
// snippet.end

// snippet.readonly
struct CommandRefused: Error {
    let message: String
}

/// Stops commands and forwards queries.
struct ReadOnly: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if M.self is any Command.Type { throw CommandRefused(message: M.messageName) }
        return try await next.dispatch(message)
    }
}

let reader = dispatcher.with(ReadOnly())
print(try await reader.dispatch(ListNotes()))
do {
    try await reader.dispatch(AddNote(text: "Eggs"))
} catch {
    print("Not added:", error)
}
// snippet.end

// snippet.tests
// snippet.hide
// swift-format-ignore: OrderedImports
// snippet.show
import DuetTesting

// snippet.hide
// swift-format-ignore: OrderedImports
// snippet.show
import Testing

@Test
func `an added note is listed`() async throws {
    let notebook = Notebook()
    let dispatcher = try StandardDispatcher {
        AddNoteHandler(notebook: notebook)
        ListNotesHandler(notebook: notebook)
    }
    try await dispatcher.dispatch(AddNote(text: "Milk"))
    #expect(try await dispatcher.dispatch(ListNotes()) == ["Milk"])
}

@Test
func `a command does not pass the read-only middleware`() async throws {
    let spy = SpyDispatcher()
    spy.stub(AddNote.self)
    await #expect(throws: CommandRefused.self) {
        try await spy.with(ReadOnly()).dispatch(AddNote(text: "Eggs"))
    }
    #expect(spy.messageNames.isEmpty)
}
// snippet.end

// Runs the tests above. An expectation that fails outside of a test run is not noticed.
var testArguments = __CommandLineArguments_v0()
testArguments.quiet = true
let status: CInt = await Testing.__swiftPMEntryPoint(passing: testArguments)
precondition(status == 0)

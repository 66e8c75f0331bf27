//! A view model on the main actor: where its dispatches run, cancellation, and tests.

import Duet
import DuetHTTP
import DuetTesting
import HTTPTypes
import Observation

nonisolated struct Note: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    let text: String
}

// GET notes?text=…
struct ListNotes: HTTPQuery {
    typealias Value = [Note]
    static let route: QueryRoute<Self> = .get("notes")

    let text: String
}

// POST notes   {"text": …}
struct AddNote: HTTPCommand, Equatable {
    static let route: CommandRoute<Self> = .post("notes")

    let text: String
}

// snippet.model
@MainActor
@Observable
final class NotesModel {
    private(set) var notes: [Note] = []
    private(set) var errorText: String?
    var searchText = ""
    var isLoading: Bool { loads > 0 }

    private var loads = 0
    private let dispatcher: any Dispatcher

    init(dispatcher: any Dispatcher) {
        self.dispatcher = dispatcher
    }

    func load() async {
        loads += 1
        defer { loads -= 1 }
        do {
            let found = try await dispatcher.dispatch(ListNotes(text: searchText))
            try Task.checkCancellation()
            notes = found
            errorText = nil
        } catch is CancellationError {
            // The view disappeared, or the search text changed.
        } catch {
            errorText = "\(error)"
        }
    }
}
// snippet.end

extension NotesModel {
    func add(_ text: String) async {
        do {
            try await dispatcher.dispatch(AddNote(text: text))
            await load()
        } catch {
            errorText = "\(error)"
        }
    }
}

actor Notebook {
    let notes = [Note(id: 1, text: "Milk"), Note(id: 2, text: "Bread")]
}

// snippet.concurrent
struct ListNotesHandler: QueryHandler {
    let notebook: Notebook

    // Runs on the actor of the caller, such as the main actor.
    func handle(_ query: ListNotes) async throws -> [Note] {
        await search(notebook.notes, for: query.text)
    }

    // Always runs off the caller's actor.
    @concurrent
    private func search(_ notes: [Note], for text: String) async -> [Note] {
        notes.filter { text.isEmpty || $0.text.contains(text) }
    }
}
// snippet.end

/// Not `Sendable`: a screen edits it.
final class Draft {
    var text: String

    init(text: String) {
        self.text = text
    }
}

// GET draft
struct LoadDraft: ThirdPartyQuery {
    typealias Value = Draft
    typealias Payload = Note
    static let route: QueryRoute<Self> = .get("draft")

    static func value(from payload: Note, answering query: Self) -> Draft { Draft(text: payload.text) }
}

@MainActor
final class Editor {
    var text = "Milk"
}

// snippet.handler
@MainActor
final class LoadDraftHandler: QueryHandler {
    private let editor: Editor

    init(editor: Editor) {
        self.editor = editor
    }

    @MainActor
    func handle(_ query: LoadDraft) async throws -> sending Draft { Draft(text: editor.text) }
}
// snippet.end

// snippet.test
@MainActor
func testThatNotesAppearWhenTheyAreLoaded() async throws {
    let gate = Gate()
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self) { query in
        try await gate.pass()
        return [Note(id: 1, text: query.text)]
    }
    let model = NotesModel(dispatcher: spy)
    model.searchText = "Milk"

    let load = Task { await model.load() }
    await gate.arrivals(1)
    precondition(model.isLoading)

    gate.open()
    await load.value
    precondition(model.notes == [Note(id: 1, text: "Milk")])
    precondition(!model.isLoading)
}
// snippet.end

@MainActor
func testThatACanceledLoadShowsNoError() async throws {
    let gate = Gate()
    let spy = SpyDispatcher()
    spy.stub(ListNotes.self) { _ in
        try await gate.pass()
        return []
    }
    let model = NotesModel(dispatcher: spy)

    let load = Task { await model.load() }
    await gate.arrivals(1)
    load.cancel()
    await load.value
    precondition(model.errorText == nil)
    precondition(!model.isLoading)
}

@MainActor
func testThatAddingANoteLoadsTheList() async throws {
    let spy = SpyDispatcher()
    spy.stub(AddNote.self)
    spy.stub(ListNotes.self, returning: [])
    let model = NotesModel(dispatcher: spy)

    await model.add("Milk")
    precondition(spy.messages(of: AddNote.self) == [AddNote(text: "Milk")])
    precondition(spy.messageNames == [AddNote.messageName, ListNotes.messageName])
}

/// Loads over HTTP; the draft, which is not `Sendable`, can be edited on the main actor.
@MainActor
func loadOverHTTP() async throws {
    let client = MockHTTPClient()
    client.expect(.get, "/notes?text=Milk", json: #"[{"id": 1, "text": "Milk"}]"#)
    client.expect(.get, "/draft", json: #"{"id": 1, "text": "Milk"}"#)
    let api = HTTPDispatcher(baseURL: try BaseURL("https://notes.example"), client: client)
    let model = NotesModel(dispatcher: api)
    model.searchText = "Milk"

    await model.load()
    precondition(model.errorText == nil)
    precondition(model.notes == [Note(id: 1, text: "Milk")])

    let draft = try await api.dispatch(LoadDraft())
    draft.text += " and bread"
    precondition(draft.text == "Milk and bread")
    precondition(client.missing == [])
}

struct CheckActor: Command {}

struct CheckActorHandler: CommandHandler {
    func handle(_ command: CheckActor) async throws { MainActor.preconditionIsolated() }
}

/// Loads with handlers of this process, one of them on the main actor.
@MainActor
func loadInProcess() async throws {
    let dispatcher = try StandardDispatcher {
        ListNotesHandler(notebook: Notebook())
        LoadDraftHandler(editor: Editor())
        CheckActorHandler()
    }
    let model = NotesModel(dispatcher: dispatcher)
    model.searchText = "Bread"

    await model.load()
    precondition(model.notes == [Note(id: 2, text: "Bread")])

    let draft = try await dispatcher.dispatch(LoadDraft())
    draft.text += " and bread"
    precondition(draft.text == "Milk and bread")
    try await dispatcher.dispatch(CheckActor())
}

try await testThatNotesAppearWhenTheyAreLoaded()
try await testThatACanceledLoadShowsNoError()
try await testThatAddingANoteLoadsTheList()
try await loadOverHTTP()
try await loadInProcess()
print("The view model shows what it has loaded.")

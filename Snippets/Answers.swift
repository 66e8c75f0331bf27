//! Commands that are answered with the value of a query, and with the same answer when they are repeated.

import Duet
import DuetContext
import DuetSQLite
import Foundation
import GRDB

struct Note: Codable, Sendable {
    let id: Int
    let text: String
}

struct LoadNote: PayloadQuery, Hashable {
    typealias Value = Note
    let id: Int
}

struct AddNote: AnsweredCommand {
    let text: String
    func answer(from content: Note?) -> LoadNote? { content.map { LoadNote(id: $0.id) } }
}

actor Notebook {
    private var texts: [Int: String] = [7: "Bread"]

    func add(_ text: String) -> Int {
        let id = (texts.keys.max() ?? 0) + 1
        texts[id] = text
        return id
    }

    func rename(_ id: Int, _ text: String) { texts[id] = text }

    func text(_ id: Int) -> String { texts[id] ?? "" }
}

struct AddNoteHandler: AnsweringHandler {
    let notebook: Notebook
    func handle(_ command: AddNote) async throws -> LoadNote { LoadNote(id: await notebook.add(command.text)) }
}

struct RenameNoteHandler: CommandHandler {
    let notebook: Notebook
    func handle(_ command: RenameNote) async throws { await notebook.rename(command.id, command.text) }
}

struct LoadNoteHandler: QueryHandler {
    let notebook: Notebook
    func handle(_ query: LoadNote) async throws -> Note { Note(id: query.id, text: await notebook.text(query.id)) }
}

let notebook = Notebook()
let dispatcher = try StandardDispatcher {
    AddNoteHandler(notebook: notebook)
    RenameNoteHandler(notebook: notebook)
    LoadNoteHandler(notebook: notebook)
}

// snippet.answer
struct RenameNote: AnsweredCommand {
    let id: Int
    let text: String
    func answer(from content: Note?) -> LoadNote? { LoadNote(id: id) }
}
let note = try await dispatcher.answer(to: RenameNote(id: 7, text: "Rye bread"))
// snippet.end
print(note.text)

// MARK: Repeats

struct LoadTalk: PayloadQuery, Hashable {
    typealias Value = String
    let id: Int64
}

struct AddTalk: AnsweredCommand {
    let title: String
    func answer(from content: String?) -> LoadTalk? { nil }
}

struct AddTalkHandler: AnsweringHandler {
    let database: DatabaseQueue
    let inbox = SQLiteCommandInbox()

    // snippet.inbox
    func handle(_ command: AddTalk) async throws -> LoadTalk {
        let id = IdempotencyKey.current(for: AddTalk.self)
        return try await database.write { db in
            try inbox.answer(id, in: db) {
                try db.execute(sql: "INSERT INTO talk (title) VALUES (?)", arguments: [command.title])
                return LoadTalk(id: db.lastInsertedRowID)
            }
        }
    }
    // snippet.end
}

struct LoadTalkHandler: QueryHandler {
    let database: DatabaseQueue

    func handle(_ query: LoadTalk) async throws -> String {
        try await database.read { db in
            try String.fetchOne(db, sql: "SELECT title FROM talk WHERE id = ?", arguments: [query.id]) ?? ""
        }
    }
}

func makeDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { db in
        try db.execute(sql: "CREATE TABLE talk (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
        try SQLiteCommandInbox.createTable(in: db)
    }
    return database
}

let database = try makeDatabase()
let talks = try StandardDispatcher {
    AddTalkHandler(database: database)
    LoadTalkHandler(database: database)
}
for title in ["Swift", "Swift, again"] {
    print(try await withIdempotencyKey("talk 1") { try await talks.answer(to: AddTalk(title: title)) })
}

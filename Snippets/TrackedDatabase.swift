//! A cache without rules in front of handlers that read from a database.

import Duet
import DuetCaching
import DuetSQLite
import GRDB

struct LoadTalk: Query, Hashable {
    typealias Value = String
    let id: Int
}

struct RenameTalk: Command {
    let id: Int
    let title: String
}

// snippet.handlers
struct LoadTalkHandler: QueryHandler {
    let database: TrackedDatabase

    func handle(_ query: LoadTalk) async throws -> String {
        try await database.read { db in
            try String.fetchOne(db, sql: "SELECT title FROM talk WHERE id = ?", arguments: [query.id]) ?? ""
        }
    }
}

struct RenameTalkHandler: CommandHandler {
    let database: TrackedDatabase

    func handle(_ command: RenameTalk) async throws {
        try await database.write { db in
            try db.execute(sql: "UPDATE talk SET title = ? WHERE id = ?", arguments: [command.title, command.id])
        }
    }
}
// snippet.end

let pool = try DatabaseQueue()
try pool.write { db in
    try db.execute(sql: "CREATE TABLE talk (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO talk VALUES (1, 'Duet')")
}

// snippet.cache
let database = try TrackedDatabase(pool)
let handlers = try StandardDispatcher {
    LoadTalkHandler(database: database)
    RenameTalkHandler(database: database)
}
let talks = try handlers.caching(in: .memory(limit: .entries(1_000)), tracking: database) {
    Cache(LoadTalk.self)
}
// snippet.end

print(try await talks.dispatch(LoadTalk(id: 1)))
try await talks.dispatch(RenameTalk(id: 1, title: "Trio"))
print(try await talks.dispatch(LoadTalk(id: 1)))
// By any code.
try pool.write { db in try db.execute(sql: "UPDATE talk SET title = 'Solo'") }
print(try await talks.dispatch(LoadTalk(id: 1)))

// snippet.narrow
let narrowed = try handlers.caching(in: .memory(limit: .entries(1_000)), tracking: database) {
    Cache(LoadTalk.self)
    Invalidate(LoadTalk.self, after: RenameTalk.self) { query, command in query.id == command.id }
}
// snippet.end
_ = narrowed

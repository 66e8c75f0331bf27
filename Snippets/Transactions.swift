//! One transaction of a database for each dispatch of a container.

import Duet
import DuetDependencies
import DuetMacros
import Foundation
import GRDB

// snippet.unit
/// The changes of one dispatch, which are made in one transaction or not at all.
actor UnitOfWork: Committable {
    private let database: any DatabaseWriter
    private var changes: [@Sendable (Database) throws -> Void] = []

    init(database: any DatabaseWriter) { self.database = database }

    func add(_ change: @escaping @Sendable (Database) throws -> Void) { changes.append(change) }

    func commit() async throws {
        guard !changes.isEmpty else { return }
        let changes = changes
        try await database.write { db in
            for change in changes { try change(db) }
        }
    }

    func dispose() { changes = [] }
}
// snippet.end

struct PlaceOrder: Command {
    let item: String
    let count: Int
}

// snippet.services
@Resolvable
struct Stock {
    let work: UnitOfWork

    func take(_ count: Int, of item: String) async {
        await work.add { db in
            try db.execute(sql: "UPDATE stock SET count = count - ? WHERE item = ?", arguments: [count, item])
        }
    }
}

@Resolvable
struct PlaceOrderHandler: CommandHandler {
    let work: UnitOfWork
    let stock: Stock

    func handle(_ command: PlaceOrder) async throws {
        await work.add { db in
            try db.execute(sql: "INSERT INTO purchase VALUES (?, ?)", arguments: [command.item, command.count])
        }
        await stock.take(command.count, of: command.item)
    }
}
// snippet.end

func createTables(_ db: Database) throws {
    try db.execute(
        sql: """
            CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER NOT NULL CHECK (count >= 0));
            CREATE TABLE purchase (item TEXT NOT NULL, count INTEGER NOT NULL);
            INSERT INTO stock VALUES ('apple', 3);
            """
    )
}

// snippet.register
let database = try DatabaseQueue()
try database.write { db in try createTables(db) }

let builder = ContainerBuilder()
builder.singleton((any DatabaseWriter).self) { database }
builder.scoped { (database: any DatabaseWriter) in UnitOfWork(database: database) }
builder.transient(Stock.self)
builder.handlers { PlaceOrderHandler.self }
let dispatcher = try await builder.build().dispatcher
// snippet.end

// snippet.dispatch
try await dispatcher.dispatch(PlaceOrder(item: "apple", count: 2))
do {
    try await dispatcher.dispatch(PlaceOrder(item: "apple", count: 2))
} catch let error as DatabaseError {
    print(error.message ?? "")
}
print(try database.read { db in try Int.fetchOne(db, sql: "SELECT sum(count) FROM purchase") } ?? 0)
// snippet.end

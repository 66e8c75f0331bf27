import Duet
import DuetDependencies
import GRDB
import Testing

/// One database transaction for each dispatch, as the guide "Containers" shows it.
@Suite struct DispatchTransactionTests {
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER NOT NULL CHECK (count >= 0));
                    CREATE TABLE purchase (item TEXT NOT NULL REFERENCES stock DEFERRABLE INITIALLY DEFERRED);
                    INSERT INTO stock VALUES ('apple', 2);
                    """
            )
        }
    }

    private func order(_ item: String, count: Int) async throws {
        let builder = ContainerBuilder()
        builder.singleton((any DatabaseWriter).self) { [database] in database }
        builder.scoped { (database: any DatabaseWriter) in UnitOfWork(database: database) }
        builder.transient { (work: UnitOfWork) in Stock(work: work) }
        builder.transient { (work: UnitOfWork, stock: Stock) in OrderHandler(work: work, stock: stock) }
        builder.handlers { OrderHandler.self }
        try await builder.build().dispatcher.dispatch(Order(item: item, count: count))
    }

    /// The items that were ordered, and the apples that are left.
    private func stored() async throws -> ([String], Int?) {
        try await database.read { db in
            (
                try String.fetchAll(db, sql: "SELECT item FROM purchase"),
                try Int.fetchOne(db, sql: "SELECT count FROM stock WHERE item = 'apple'")
            )
        }
    }

    @Test func `the writes of a handler and its services are made together`() async throws {
        try await order("apple", count: 2)
        #expect(try await stored() == (["apple"], 0))
    }

    @Test func `no write is made if a service throws`() async throws {
        await #expect(throws: Stock.Nothing.self) { try await order("apple", count: 0) }
        #expect(try await stored() == ([], 2))
    }

    @Test func `no write is made if the second one fails, and the caller gets its error`() async throws {
        await #expect(throws: DatabaseError.self) { try await order("apple", count: 3) }
        #expect(try await stored() == ([], 2))
    }

    @Test func `the error of the database's own commit reaches the caller`() async throws {
        let error = await #expect(throws: DatabaseError.self) { try await order("pear", count: 1) }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(try await stored() == ([], 2))
    }
}

private struct Order: Command {
    let item: String
    let count: Int
}

private struct OrderHandler: CommandHandler {
    let work: UnitOfWork
    let stock: Stock

    func handle(_ command: Order) async throws {
        await work.add { db in
            try db.execute(sql: "INSERT INTO purchase VALUES (?)", arguments: [command.item])
        }
        try await stock.take(command.count, of: command.item)
    }
}

private struct Stock {
    struct Nothing: Error {}

    let work: UnitOfWork

    func take(_ count: Int, of item: String) async throws {
        guard count > 0 else { throw Nothing() }
        await work.add { db in
            try db.execute(sql: "UPDATE stock SET count = count - ? WHERE item = ?", arguments: [count, item])
        }
    }
}

private actor UnitOfWork: Committable {
    private let database: any DatabaseWriter
    private var changes: [@Sendable (Database) throws -> Void] = []

    init(database: any DatabaseWriter) { self.database = database }

    func add(_ change: @escaping @Sendable (Database) throws -> Void) { changes.append(change) }

    func commit() async throws {
        let changes = changes
        try await database.write { db in
            for change in changes { try change(db) }
        }
    }

    func dispose() { changes = [] }
}

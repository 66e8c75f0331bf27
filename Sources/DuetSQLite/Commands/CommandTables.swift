import DuetCaching
import Foundation
import GRDB

/// The statements that read and write queued commands within one access to the database.
///
/// Nothing is removed to make room.
struct CommandTables: CacheTables {
    let database: Database
    private let limit: CommandStoreLimit

    init(_ database: Database, _ limit: CommandStoreLimit) {
        self.database = database
        self.limit = limit
    }

    func all() throws -> [StoredCommand] {
        try rows(
            """
            SELECT id, name, version, key, date, idempotencyKey, bytes, attempts, failure FROM command ORDER BY number
            """
        ) { row in
            let failure: DatabaseValue = row[8]
            return StoredCommand(
                id: try row.value(at: 0),
                name: try row.text(at: 1),
                version: try row.value(at: 2),
                key: try row.text(at: 3),
                date: Date(bits: try row.value(at: 4)),
                idempotencyKey: try row.text(at: 5),
                bytes: try row.value(at: 6),
                attempts: try row.value(at: 7),
                failure: failure.isNull ? nil : try row.text(at: 8)
            )
        }
    }

    /// - Throws: `CommandStoreFull`, with which the transaction is rolled back.
    func insert(_ command: StoredCommand) throws {
        let count = Int(try stateValue("SELECT count FROM state"))
        try limit.checkRoom(for: command, count: count, size: Int(try size()))
        try execute(
            """
            INSERT INTO command (id, name, version, key, date, idempotencyKey, size, attempts, failure, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                command.id, command.name.bytes, command.version, command.key.bytes, command.date.bits,
                command.idempotencyKey.bytes, command.size, command.attempts, command.failure?.bytes, command.bytes,
            ]
        )
    }

    func update(_ id: UUID, attempts: Int, failure: String?) throws {
        try execute("UPDATE command SET attempts = ?, failure = ? WHERE id = ?", [attempts, failure?.bytes, id])
    }

    func remove(_ id: UUID) throws {
        try execute("DELETE FROM command WHERE id = ?", [id])
    }

    func remove(_ number: Int64) throws {
        try execute("DELETE FROM command WHERE number = ?", [number])
    }

    func markUsed(_ ids: [Int64]) {}

    func isTooLarge() -> Bool { false }

    func nextToRemove() -> Int64? { nil }
}

extension CommandTables {
    static var waitsForDisk: Bool { true }

    /// Numbers are not used twice (`AUTOINCREMENT`), so that a new command is after all others.
    ///
    /// The commands of an older format must be converted when there is one, because the tables of an older format are
    /// emptied.
    static let kind = DatabaseKind(
        label: "SQLiteCommandStore",
        // "DueC" in ASCII.
        application: 0x4475_6543,
        version: 1,
        pageSize: 4_096,
        names: ["command"],
        tables: """
            CREATE TABLE command (
                number INTEGER PRIMARY KEY AUTOINCREMENT, -- the order
                id BLOB NOT NULL UNIQUE,
                name BLOB NOT NULL,
                version INTEGER NOT NULL,
                key BLOB NOT NULL,
                date INTEGER NOT NULL, -- the bits of a number, in the order of dates
                idempotencyKey BLOB NOT NULL,
                size INTEGER NOT NULL, -- what counts against the limit
                attempts INTEGER NOT NULL,
                failure BLOB,
                bytes BLOB NOT NULL
            );
            CREATE TABLE state (size INTEGER NOT NULL, count INTEGER NOT NULL);
            CREATE TRIGGER commandInserted AFTER INSERT ON command BEGIN
                UPDATE state SET size = size + new.size, count = count + 1;
            END;
            CREATE TRIGGER commandDeleted AFTER DELETE ON command BEGIN
                UPDATE state SET size = size - old.size, count = count - 1;
            END;
            INSERT INTO state VALUES (0, 0);
            """
    )
}

extension Row {
    fileprivate func text(at index: Int) throws -> String {
        String(decoding: try value(at: index) as Data, as: UTF8.self)
    }
}

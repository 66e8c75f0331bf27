import Duet
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

    /// Lets each commit wait for the disk, after GRDB has set `synchronous = NORMAL`.
    func open(isAlone: Bool) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        _ = try (database.makeStatement(sql: "SELECT sendRequests, isServed FROM command"), revision())
    }

    func all() throws -> [StoredCommand] {
        try rows(
            """
            SELECT id, name, version, key, date, idempotencyKey, bytes, attempts, failure, principal, isRetried,
                sendRequests, isServed
            FROM command ORDER BY number
            """
        ) { row in
            let failure: DatabaseValue = row[8]
            let principal: DatabaseValue = row[9]
            return StoredCommand(
                id: try row.value(at: 0),
                name: try row.text(at: 1),
                version: try row.value(at: 2),
                key: try row.text(at: 3),
                date: Date(bits: try row.value(at: 4)),
                idempotencyKey: try row.text(at: 5),
                principal: principal.isNull ? nil : try row.principal(at: 9),
                isServed: try row.value(at: 12) as Int != 0,
                bytes: try row.value(at: 6),
                attempts: try row.value(at: 7),
                failure: failure.isNull ? nil : try row.text(at: 8),
                isRetried: try row.value(at: 10) as Int != 0,
                sendRequests: try row.value(at: 11)
            )
        }
    }

    /// - Throws: `CommandStoreFull`, with which the transaction is rolled back.
    func insert(_ command: StoredCommand) throws {
        let count = Int(try stateValue("SELECT count FROM state"))
        try limit.checkRoom(for: command, count: count, size: Int(try size()))
        try execute(
            """
            INSERT INTO command
            (id, name, version, key, date, idempotencyKey, principal, isServed, size, attempts, failure, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                command.id, command.name.bytes, command.version, command.key.bytes, command.date.bits,
                command.idempotencyKey.bytes, try command.principal?.json, command.isServed ? 1 : 0, command.size,
                command.attempts, command.failure?.bytes, command.bytes,
            ]
        )
    }

    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) throws {
        try execute(
            "UPDATE command SET attempts = ?, failure = ?, isRetried = ? WHERE id = ?",
            [attempts, failure?.bytes, isRetried ? 1 : 0, id]
        )
    }

    func requestSending(of id: UUID) throws {
        try execute("UPDATE command SET sendRequests = sendRequests + 1 WHERE id = ?", [id])
    }

    func revision() throws -> Int { Int(try stateValue("SELECT revision FROM state")) }

    func noteChange() throws { try execute("UPDATE state SET revision = revision + 1") }

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
    /// Newer formats keep the commands of older ones.
    static let kind = DatabaseKind(
        // "DueC" in ASCII.
        application: 0x4475_6543,
        version: DatabaseMigrator.commands.migrations.count,
        loss: SQLiteStoreLoss.commands,
        migrator: .commands
    )
}

extension DatabaseMigrator {
    /// The formats of a file of commands.
    ///
    /// A released one never changes.
    fileprivate static var commands: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            // Files of the first format had no migrations.
            guard try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 else { return }
            // Numbers are not used twice (`AUTOINCREMENT`), so that a new command is after all others.
            try database.execute(
                sql: """
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
        migrator.registerMigration("2") { database in
            // Some files of the first format have this column.
            if try !database.columns(in: "command").contains(where: { $0.name == "principal" }) {
                // JSON: the identifier and the scopes.
                try database.execute(sql: "ALTER TABLE command ADD COLUMN principal BLOB")
            }
            // An emptied file has another revision than before.
            try database.execute(
                sql: """
                    ALTER TABLE command ADD COLUMN isRetried INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE command ADD COLUMN sendRequests INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE state ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
                    UPDATE state SET revision = random() >> 2;
                    """
            )
        }
        migrator.registerMigration("3") { database in
            try database.execute(sql: "ALTER TABLE command ADD COLUMN isServed INTEGER NOT NULL DEFAULT 0")
        }
        return migrator
    }
}

extension Principal {
    fileprivate var json: Data { get throws { try JSONEncoder().encode([id] + scopes.sorted()) } }
}

extension Row {
    fileprivate func principal(at index: Int) throws -> Principal? {
        let texts = try JSONDecoder().decode([String].self, from: try value(at: index) as Data)
        return texts.first.map { Principal(id: $0, scopes: Set(texts.dropFirst())) }
    }

    fileprivate func text(at index: Int) throws -> String {
        String(decoding: try value(at: index) as Data, as: UTF8.self)
    }
}

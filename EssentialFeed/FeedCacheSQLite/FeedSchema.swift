import DuetSQLite
import GRDB

/// The tables and their history.
///
/// A released migration never changes; a new schema is a new migration.
enum FeedSchema {
    /// The kind of the file: "EFCa" in ASCII.
    static let kind = DatabaseKind(application: 0x4546_4361, migrator: migrator)

    /// Throws an error if the feed's own tables are damaged; a check of the images' bytes would read all of them.
    static func check(_ database: Database) throws {
        for table in ["feed", "feedImage"] {
            let result = try String.fetchOne(database, sql: "PRAGMA quick_check(\(table))")
            guard result == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: result) }
        }
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE feed (
                        id INTEGER PRIMARY KEY CHECK (id = 1),
                        timestamp REAL NOT NULL -- seconds since 2001, as in Foundation, so that no bit is lost
                    );
                    CREATE TABLE feedImage (
                        position INTEGER PRIMARY KEY,
                        id BLOB NOT NULL, -- the 16 bytes of the UUID
                        description TEXT,
                        url TEXT NOT NULL
                    );
                    CREATE TABLE imageData (
                        url TEXT PRIMARY KEY NOT NULL,
                        data BLOB NOT NULL
                    );
                    """
            )
        }
        migrator.registerMigration("v2: locations") { database in
            try database.execute(sql: "ALTER TABLE feedImage ADD COLUMN location TEXT")
        }
        migrator.registerMigration("v3: index of ids") { database in
            // Not unique: a feed may contain an image twice. Appending a page looks up its ids here.
            try database.execute(sql: "CREATE INDEX feedImageID ON feedImage (id)")
        }
        migrator.registerMigration("v4: texts with U+0000 as blobs") { database in
            for column in ["description", "location"] {
                try database.execute(
                    sql: """
                        UPDATE feedImage SET \(column) = CAST(\(column) AS BLOB)
                        WHERE instr(CAST(\(column) AS BLOB), x'00') > 0
                        """
                )
            }
        }
        migrator.registerMigration("v5: facts") { database in
            try database.execute(sql: "ALTER TABLE feedImage ADD COLUMN facts BLOB")
        }
        return migrator
    }
}

import GRDB

extension DatabaseMigrator {
    /// The tables, version by version.
    ///
    /// A released version never changes; a new one is added below it.
    static var feed: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            // AUTOINCREMENT never reuses a position, so a removed image's position remains unique.
            try db.execute(
                sql: """
                    CREATE TABLE image (
                        position INTEGER PRIMARY KEY AUTOINCREMENT,
                        id BLOB NOT NULL UNIQUE,
                        description TEXT,
                        location TEXT
                    );
                    CREATE TABLE image_bytes (
                        image INTEGER PRIMARY KEY REFERENCES image (position) ON DELETE CASCADE,
                        format TEXT NOT NULL,
                        checksum INTEGER NOT NULL,
                        bytes BLOB NOT NULL
                    );
                    CREATE TABLE removed_image (
                        id BLOB PRIMARY KEY,
                        position INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE comment (
                        sequence INTEGER PRIMARY KEY,
                        id BLOB NOT NULL UNIQUE,
                        image INTEGER NOT NULL REFERENCES image (position) ON DELETE CASCADE,
                        message TEXT NOT NULL,
                        username TEXT NOT NULL,
                        created_at INTEGER NOT NULL -- milliseconds since 1970
                    );
                    CREATE INDEX comment_of_image ON comment (image, created_at, sequence);
                    """
            )
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: """
                    CREATE TABLE token (
                        hash TEXT PRIMARY KEY, -- SHA-256, hexadecimal
                        name TEXT NOT NULL UNIQUE,
                        scopes TEXT NOT NULL, -- with a space between two
                        created_at INTEGER NOT NULL -- milliseconds since 1970
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("3") { db in
            // The entity tag is a digest of the bytes that are sent, so nothing reads a stored checksum.
            try db.execute(sql: "ALTER TABLE image_bytes DROP COLUMN checksum")
        }
        return migrator
    }
}

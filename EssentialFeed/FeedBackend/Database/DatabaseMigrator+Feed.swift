import GRDB

extension DatabaseMigrator {
    /// The tables, version by version.
    ///
    /// A version that was released is never changed; a new one is added below it.
    static var feed: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            // AUTOINCREMENT never hands out a position again, so that the place of a removed image stays its own.
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
        return migrator
    }
}

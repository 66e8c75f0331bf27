import FeedFeature
import Foundation
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
        migrator.registerMigration("4") { db in
            try db.addSearchColumns()
            try db.execute(
                sql: """
                    CREATE TABLE handled_command (
                        principal TEXT NOT NULL, -- empty for an anonymous sender
                        key TEXT NOT NULL,
                        fingerprint TEXT NOT NULL, -- SHA-256, hexadecimal
                        is_effective INTEGER NOT NULL,
                        expires_at INTEGER NOT NULL, -- milliseconds since 1970
                        PRIMARY KEY (principal, key)
                    ) WITHOUT ROWID;
                    CREATE INDEX handled_command_by_expiry ON handled_command (expires_at);
                    """
            )
        }
        migrator.registerMigration("5") { db in
            try db.execute(
                sql: """
                    ALTER TABLE removed_image ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0; -- 0 for older removals
                    CREATE INDEX removed_image_by_sequence ON removed_image (sequence);
                    """
            )
        }
        migrator.registerMigration("6") { db in
            try db.removeImageMetadata()
        }
        migrator.registerMigration("7") { db in
            try db.execute(
                sql: """
                    ALTER TABLE image ADD COLUMN caption TEXT;
                    ALTER TABLE image ADD COLUMN publisher TEXT; -- the name of the token; unknown for older images
                    ALTER TABLE image ADD COLUMN author TEXT; -- the publisher's display name
                    ALTER TABLE image ADD COLUMN width INTEGER; -- as it is shown; unknown for incomplete images
                    ALTER TABLE image ADD COLUMN height INTEGER;
                    ALTER TABLE image ADD COLUMN color TEXT; -- as in #2f4f8a
                    ALTER TABLE image_bytes ADD COLUMN hash TEXT; -- the beginning of SHA-256, hexadecimal
                    -- The number of attempts to make versions; NULL when they exist.
                    ALTER TABLE image_bytes ADD COLUMN attempts INTEGER DEFAULT 0;
                    -- When another backend may work on it, in milliseconds since 1970.
                    ALTER TABLE image_bytes ADD COLUMN claimed_until INTEGER NOT NULL DEFAULT 0;
                    CREATE INDEX image_to_resize ON image_bytes (image) WHERE attempts < 2;
                    CREATE TABLE image_version (
                        image INTEGER NOT NULL REFERENCES image (position) ON DELETE CASCADE,
                        width INTEGER NOT NULL,
                        hash TEXT NOT NULL,
                        bytes BLOB NOT NULL,
                        PRIMARY KEY (image, width)
                    );
                    ALTER TABLE token ADD COLUMN display_name TEXT;
                    """
            )
            try db.addSizesAndHashes()
        }
        migrator.registerMigration("8") { db in
            // The place of a removed comment, where the page before it ends.
            try db.execute(
                sql: """
                    CREATE TABLE removed_comment (
                        id BLOB PRIMARY KEY,
                        image INTEGER NOT NULL REFERENCES image (position) ON DELETE CASCADE,
                        created_at INTEGER NOT NULL, -- milliseconds since 1970
                        sequence INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE INDEX removed_comment_of_image ON removed_comment (image);
                    """
            )
        }
        migrator.registerMigration("9") { db in
            try db.execute(
                sql: """
                    ALTER TABLE image ADD COLUMN is_animated INTEGER NOT NULL DEFAULT 0;
                    -- Finds the images with the same bytes.
                    CREATE INDEX image_bytes_by_hash ON image_bytes (hash);
                    """
            )
            try db.findAnimatedImages()
        }
        migrator.registerMigration("10") { db in
            // SQLite reads all bytes of an image before a column that follows them, and writes them again with it.
            try db.execute(
                sql: """
                    ALTER TABLE image ADD COLUMN hash TEXT; -- the beginning of the bytes' SHA-256, hexadecimal
                    -- The number of attempts to make versions; NULL when they exist.
                    ALTER TABLE image ADD COLUMN attempts INTEGER DEFAULT 0;
                    -- When another backend may work on it, in milliseconds since 1970.
                    ALTER TABLE image ADD COLUMN claimed_until INTEGER NOT NULL DEFAULT 0;
                    UPDATE image SET (hash, attempts, claimed_until) =
                        (SELECT hash, attempts, claimed_until FROM image_bytes WHERE image = position)
                    WHERE position IN (SELECT image FROM image_bytes);
                    DROP INDEX image_to_resize;
                    CREATE INDEX image_by_hash ON image (hash);
                    CREATE INDEX image_to_resize ON image (attempts, position DESC) WHERE attempts < 2;
                    CREATE TABLE image_content (
                        image INTEGER PRIMARY KEY REFERENCES image (position) ON DELETE CASCADE,
                        format TEXT NOT NULL,
                        bytes BLOB NOT NULL
                    );
                    INSERT INTO image_content SELECT image, format, bytes FROM image_bytes;
                    DROP TABLE image_bytes;
                    ALTER TABLE image_content RENAME TO image_bytes;
                    """
            )
        }
        return migrator
    }
}

extension Database {
    /// Removes metadata from images of earlier versions, which stored them as they were, and overwrites it in the file.
    ///
    /// Earlier versions have stored incomplete images, too, which stay as they are.
    fileprivate func removeImageMetadata() throws {
        try execute(sql: "PRAGMA secure_delete = ON")
        try forEachImage { image, stored in
            guard let clean = try? ImageFile(stored).withoutMetadata, clean != stored else { return }
            try executeCached("UPDATE image_bytes SET bytes = ? WHERE image = ?", [clean, image])
        }
    }

    fileprivate func addSizesAndHashes() throws {
        try forEachImage { image, bytes in
            try executeCached("UPDATE image_bytes SET hash = ? WHERE image = ?", [bytes.addressHash, image])
            guard let size = try? ImageFile(bytes).shownSize else { return }
            let sql = "UPDATE image SET width = ?, height = ? WHERE position = ?"
            try executeCached(sql, [size.width, size.height, image])
        }
    }

    /// Finds the images that move; those without a still version are resized again.
    fileprivate func findAnimatedImages() throws {
        try forEachImage(where: "format <> 'jpeg'") { image, bytes in
            guard let file = try? ImageFile(bytes), file.isAnimated else { return }
            try executeCached("UPDATE image SET is_animated = 1 WHERE position = ?", [image])
            let reset = """
                UPDATE image_bytes SET attempts = 0
                WHERE image = ?1 AND NOT EXISTS (SELECT 1 FROM image_version WHERE image = ?1)
                """
            try executeCached(reset, [image])
        }
    }

    private func forEachImage(
        where condition: String = "TRUE",
        _ body: (_ image: Int64, _ bytes: Data) throws -> Void
    ) throws {
        for image in try Int64.fetchAll(self, sql: "SELECT image FROM image_bytes WHERE \(condition)") {
            let bytes: Data? = try first("SELECT bytes FROM image_bytes WHERE image = ?", [image])
            if let bytes { try body(image, bytes) }
        }
    }

    /// Adds what a search needs to each image: its number of comments, its time of publication, and its folded texts.
    fileprivate func addSearchColumns() throws {
        let searchable = DatabaseFunction("searchable", argumentCount: 2, pure: true) { values in
            SearchText.searchable(String.fromDatabaseValue(values[0]), String.fromDatabaseValue(values[1]))
        }
        add(function: searchable)
        defer { remove(function: searchable) }
        // Triggers count, so that no insertion or cascade can be forgotten. The rank is one number, because SQLite
        // would read all images with one number of comments to find a position among them.
        try execute(
            sql: """
                ALTER TABLE image ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE image ADD COLUMN published_at INTEGER; -- milliseconds since 1970; unknown for older images
                ALTER TABLE image ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
                ALTER TABLE removed_image ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
                UPDATE image SET
                    comment_count = (SELECT COUNT(*) FROM comment WHERE image = position),
                    search_text = searchable(description, location);
                ALTER TABLE image ADD COLUMN rank INTEGER GENERATED ALWAYS AS (comment_count << 40 | position) VIRTUAL;
                CREATE INDEX image_by_rank ON image (rank);
                CREATE TRIGGER comment_added AFTER INSERT ON comment BEGIN
                    UPDATE image SET comment_count = comment_count + 1 WHERE position = NEW.image;
                END;
                CREATE TRIGGER comment_removed AFTER DELETE ON comment BEGIN
                    UPDATE image SET comment_count = comment_count - 1 WHERE position = OLD.image;
                END;
                """
        )
    }
}

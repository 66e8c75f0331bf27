import FeedFeature
import Foundation
import GRDBSQLite

/// The feed kept with SQLite's C functions alone: one connection, prepared statements, no layers.
///
/// The schema, the journal, the transaction, the statements and the values are those of `SQLiteFeedStore`.
final class HandWrittenStore {
    private let database: OpaquePointer
    private let begin, commit, deleteImages, deleteFeed, insertFeed, insertImage, prune, feed, images: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        // Without SQLite's own locks, because the store has one user at a time.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw HandWrittenError(message: path)
        }
        database = handle
        try Self.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA foreign_keys = ON;
            CREATE TABLE feed (id INTEGER PRIMARY KEY CHECK (id = 1), timestamp REAL NOT NULL);
            CREATE TABLE feedImage (
                position INTEGER PRIMARY KEY, id BLOB NOT NULL, description TEXT, url TEXT NOT NULL, location TEXT
            );
            CREATE INDEX feedImageID ON feedImage (id);
            CREATE TABLE imageData (url TEXT PRIMARY KEY NOT NULL, data BLOB NOT NULL);
            """,
            handle
        )
        begin = try Self.prepare("BEGIN IMMEDIATE", handle)
        commit = try Self.prepare("COMMIT", handle)
        deleteImages = try Self.prepare("DELETE FROM feedImage", handle)
        deleteFeed = try Self.prepare("DELETE FROM feed", handle)
        insertFeed = try Self.prepare("INSERT INTO feed (id, timestamp) VALUES (1, ?)", handle)
        insertImage = try Self.prepare(
            "INSERT INTO feedImage (position, id, description, location, url) VALUES (?, ?, ?, ?, ?)",
            handle
        )
        prune = try Self.prepare("DELETE FROM imageData WHERE url NOT IN (SELECT url FROM feedImage)", handle)
        feed = try Self.prepare("SELECT timestamp FROM feed", handle)
        images = try Self.prepare("SELECT id, description, location, url FROM feedImage ORDER BY position", handle)
    }

    deinit {
        for statement in [begin, commit, deleteImages, deleteFeed, insertFeed, insertImage, prune, feed, images] {
            sqlite3_finalize(statement)
        }
        sqlite3_close(database)
    }

    /// Replaces the feed, and drops the bytes of every URL that is not in it.
    func save(_ feed: [FeedImage], timestamp: Date) throws {
        try run(begin)
        try run(deleteImages)
        try run(deleteFeed)
        sqlite3_bind_double(insertFeed, 1, timestamp.timeIntervalSinceReferenceDate)
        try run(insertFeed)
        for (position, image) in feed.enumerated() {
            sqlite3_bind_int64(insertImage, 1, Int64(position))
            withUnsafeBytes(of: image.id.uuid) { id in
                _ = sqlite3_bind_blob(insertImage, 2, id.baseAddress, 16, transient)
            }
            bind(image.description, 3)
            bind(image.location, 4)
            bind(image.url.absoluteString, 5)
            try run(insertImage)
        }
        try run(prune)
        try run(commit)
    }

    /// The feed with its timestamp, or nil when there is none.
    func load() throws -> (images: [FeedImage], timestamp: Date)? {
        defer { sqlite3_reset(feed) }
        guard sqlite3_step(feed) == SQLITE_ROW else { return nil }
        let timestamp = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(feed, 0))
        defer { sqlite3_reset(images) }
        var loaded: [FeedImage] = []
        while true {
            let code = sqlite3_step(images)
            if code == SQLITE_DONE { return (loaded, timestamp) }
            guard code == SQLITE_ROW, let id = sqlite3_column_blob(images, 0), sqlite3_column_bytes(images, 0) == 16,
                let url = text(3).flatMap({ URL(string: $0) })
            else { throw error() }
            loaded.append(
                FeedImage(
                    id: UUID(uuid: id.loadUnaligned(as: uuid_t.self)),
                    description: text(1),
                    location: text(2),
                    url: url
                )
            )
        }
    }

    /// Stores bytes, so that there is something to prune.
    func insert(_ data: Data, for url: URL) throws {
        let statement = try Self.prepare("INSERT OR REPLACE INTO imageData (url, data) VALUES (?, ?)", database)
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_text(statement, 1, url.absoluteString, -1, transient)
        data.withUnsafeBytes { bytes in
            _ = sqlite3_bind_blob(statement, 2, bytes.baseAddress, Int32(bytes.count), transient)
        }
        try run(statement)
    }

    private func bind(_ text: String?, _ index: Int32) {
        if let text {
            sqlite3_bind_text(insertImage, index, text, -1, transient)
        } else {
            sqlite3_bind_null(insertImage, index)
        }
    }

    private func text(_ index: Int32) -> String? {
        sqlite3_column_text(images, index).map { String(cString: $0) }
    }

    private func run(_ statement: OpaquePointer) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw error() }
    }

    private func error() -> HandWrittenError {
        HandWrittenError(message: String(cString: sqlite3_errmsg(database)))
    }

    private static func execute(_ sql: String, _ database: OpaquePointer) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw HandWrittenError(message: String(cString: sqlite3_errmsg(database)))
        }
    }

    private static func prepare(_ sql: String, _ database: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw HandWrittenError(message: String(cString: sqlite3_errmsg(database)))
        }
        return statement
    }

    /// `SQLITE_TRANSIENT`, a macro that Swift does not see.
    private var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

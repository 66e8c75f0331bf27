import GRDB

/// The tables of the cache, and how the database says which program and format they belong to.
enum HTTPCacheSchema {
    /// The `application_id` of a cache: "Duet" in ASCII.
    private static let application = 0x4475_6574

    /// The format of the tables and their contents, kept as `user_version`.
    static let version = 5

    /// Ids, commits, and uses are numbered by one counter, which begins at random so that two files never share an id.
    ///
    /// An entry is a stored response. Its body is in rows of `piece`. A body that is still being written has no entry,
    /// so no order of writes can make it look complete.
    private static let tables = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            uri BLOB NOT NULL,
            partition BLOB NOT NULL,
            head BLOB NOT NULL,
            length INTEGER NOT NULL, -- of the body, in bytes
            size INTEGER NOT NULL, -- what counts against the capacity
            stored INTEGER NOT NULL, -- the order of commits
            used INTEGER NOT NULL -- the order of uses
        );
        CREATE INDEX entryByKey ON entry (uri, partition);
        CREATE INDEX entryByUse ON entry (used);
        CREATE TABLE piece (entry INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL);
        CREATE UNIQUE INDEX pieceByEntry ON piece (entry, number);
        CREATE TABLE state (size INTEGER NOT NULL, counter INTEGER NOT NULL);
        CREATE TRIGGER entryInserted AFTER INSERT ON entry BEGIN
            UPDATE state SET size = size + new.size;
        END;
        CREATE TRIGGER entryUpdated AFTER UPDATE OF size ON entry BEGIN
            UPDATE state SET size = size + new.size - old.size;
        END;
        CREATE TRIGGER entryDeleted AFTER DELETE ON entry BEGIN
            UPDATE state SET size = size - old.size;
        END;
        INSERT INTO state VALUES (0, abs(random() % (1 << 40)));
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """

    /// Refuses the database of another program or of a newer version of this one, without changing it.
    ///
    /// - Returns: The format of the tables, or nil if there are none.
    /// - Throws: ``SQLiteHTTPCacheError``.
    @discardableResult
    static func check(_ database: Database, at path: String) throws -> Int? {
        do {
            guard try Int.fetchOne(database, sql: "PRAGMA application_id") == application else {
                guard try isEmpty(database) else {
                    throw SQLiteHTTPCacheError.otherContent(path: path, reason: "it is another program's database")
                }
                return nil
            }
        } catch let error as DatabaseError where error.isDamage {
            let reason =
                error.resultCode == .SQLITE_NOTADB
                ? "it is not an SQLite database" : "it is a damaged database that may be another program's"
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: reason)
        }
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found <= version else {
            throw SQLiteHTTPCacheError.newerFormat(path: path, found: found, supported: version)
        }
        return found
    }

    /// Creates the tables, in place of those of an older format, within a transaction.
    ///
    /// - Returns: The older format, if there was one.
    /// - Throws: ``SQLiteHTTPCacheError``; `DatabaseError`, which is damage if a table is missing.
    static func create(in database: Database, at path: String) throws -> Int? {
        let found = try check(database, at: path)
        guard found != version else {
            guard try Int.fetchOne(database, sql: "SELECT count(*) FROM state") == 1,
                try Set(tableNames(in: database)).isSuperset(of: ["entry", "piece"])
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a table is missing or incomplete") }
            return nil
        }
        for name in try tableNames(in: database) {
            try database.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
        }
        try database.execute(sql: tables)
        return found
    }

    /// Deletes the bodies that processes left behind when they were killed, while no other process uses the database.
    static func deleteOrphans(in database: Database, at path: String) throws {
        guard try check(database, at: path) == version else { return }
        try database.execute(sql: "DELETE FROM piece WHERE entry NOT IN (SELECT id FROM entry)")
    }

    private static func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA application_id") == 0
            && Int.fetchOne(database, sql: "PRAGMA user_version") == 0 && tableNames(in: database).isEmpty
    }

    private static func tableNames(in database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    }
}

import GRDB

/// The tables of one kind of cache, and the numbers that identify their program and format.
struct CacheSchema: Sendable {
    /// The name of the store, for the labels of its threads.
    let label: String

    /// The `application_id` of the database.
    let application: Int

    /// The format of the tables and their contents, kept as `user_version`.
    let version: Int

    /// The size of a page of a new file, in bytes.
    let pageSize: Int

    /// The names of the tables, apart from `state`, which has one row.
    let names: Set<String>

    /// The statements that create the tables.
    let tables: String

    /// The statement that deletes the unfinished work of killed processes, if they can leave any.
    let deleteOrphans: String?

    /// Whether each commit waits for the disk, so that a power failure loses no change.
    var waitsForDisk = false

    /// Refuses the database of another program or of a newer version of this one, without changing it.
    ///
    /// - Returns: The format of the tables, or nil without tables.
    /// - Throws: ``SQLiteCacheError``.
    @discardableResult
    func check(_ database: Database, at path: String) throws -> Int? {
        do {
            guard try Int.fetchOne(database, sql: "PRAGMA application_id") == application else {
                guard try isEmpty(database) else {
                    throw SQLiteCacheError.otherContent(path: path, reason: "it is another program's database")
                }
                return nil
            }
        } catch let error as DatabaseError where error.isDamage {
            let reason =
                error.resultCode == .SQLITE_NOTADB
                ? "it is not an SQLite database" : "it is a damaged database that may be another program's"
            throw SQLiteCacheError.otherContent(path: path, reason: reason)
        }
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found <= version else {
            throw SQLiteCacheError.newerFormat(path: path, found: found, supported: version)
        }
        return found
    }

    /// Creates the tables, in place of those of an older format, within a transaction.
    ///
    /// - Returns: The older format, if there was one.
    /// - Throws: ``SQLiteCacheError``; `DatabaseError`, which is damage if a table is missing.
    func create(in database: Database, at path: String) throws -> Int? {
        let found = try check(database, at: path)
        guard found != version else {
            guard try Int.fetchOne(database, sql: "SELECT count(*) FROM state") == 1,
                try Set(tableNames(in: database)).isSuperset(of: names)
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a table is missing or incomplete") }
            return nil
        }
        for name in try tableNames(in: database) {
            try database.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
        }
        try database.execute(sql: tables)
        try database.execute(sql: "PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
        return found
    }

    /// Deletes the unfinished work of killed processes, while no other process uses the database.
    func deleteOrphans(in database: Database, at path: String) throws {
        guard let deleteOrphans, try check(database, at: path) == version else { return }
        try database.execute(sql: deleteOrphans)
    }

    private func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA application_id") == 0
            && Int.fetchOne(database, sql: "PRAGMA user_version") == 0 && tableNames(in: database).isEmpty
    }

    private func tableNames(in database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    }
}

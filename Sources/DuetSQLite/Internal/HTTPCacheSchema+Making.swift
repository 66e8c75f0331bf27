import GRDB

extension HTTPCacheSchema {
    /// Makes the tables where there are none or older ones; the format that was there, 0 when there was nothing.
    static func makeTables(in database: Database, _ place: HTTPCachePlace) throws -> Int {
        var found = 0
        try database.inTransaction(.immediate) {
            found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let objects = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
            guard application == Self.application || objects.isEmpty && application == 0 else {
                throw SQLiteHTTPCacheError.otherContent(path: place.path, reason: "it is another program's database")
            }
            guard found <= version else { throw place.newerFormat(found) }
            guard found != version || objects.isEmpty else { return .rollback }
            for name in objects { try database.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)") }
            try database.execute(sql: tables)
            return .commit
        }
        return found
    }

    /// Finds a file that was cut within a page, where SQLite takes what is missing for zeros; whole pages it misses itself.
    static func checkSize(_ size: Int, in database: Database) throws {
        guard let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size"), size.isMultiple(of: pageSize) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the last page of the file is cut short")
        }
    }
}

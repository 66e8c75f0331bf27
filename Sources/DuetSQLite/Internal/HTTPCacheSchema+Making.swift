import GRDB

extension HTTPCacheSchema {
    /// Makes the tables where there are none or older ones; the format that was there, 0 when there was nothing.
    static func makeTables(in database: Database, _ place: HTTPCachePlace) throws -> Int {
        var found = 0
        try database.inTransaction(.immediate) {
            found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard try !isOther(database) else {
                throw SQLiteHTTPCacheError.otherContent(path: place.path, reason: "it is another program's database")
            }
            guard found <= version else { throw place.newerFormat(found) }
            let tables = try tableNames(in: database)
            guard found != version || tables.isEmpty else { return .rollback }
            for name in tables { try database.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)") }
            try database.execute(sql: Self.tables)
            return .commit
        }
        return found
    }

    /// Whether a database is another program's.
    static func isOther(_ database: Database) throws -> Bool {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard application == 0 else { return application != Self.application }
        return try !tableNames(in: database).isEmpty
    }

    private static func tableNames(in database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    }

    /// Finds a file that was cut within a page, where SQLite takes what is missing for zeros; whole pages it misses itself.
    static func checkSize(_ size: Int, in database: Database) throws {
        guard let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size"), size.isMultiple(of: pageSize) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the last page of the file is cut short")
        }
    }
}

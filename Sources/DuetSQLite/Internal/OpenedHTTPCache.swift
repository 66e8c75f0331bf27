import Foundation
import GRDB

/// A database that is open and has the right tables.
struct OpenedHTTPCache: Sendable {
    let pool: DatabasePool
    /// The file that is open, which need not stay the one at the place.
    let identity: HTTPCachePlace.Identity?
    /// Held together with all others who have it open.
    private let lock: FileLock

    /// Opens what is at a place, or makes something new there, and says what was lost.
    static func open(_ place: HTTPCachePlace) throws -> (OpenedHTTPCache, [SQLiteHTTPCacheLoss]) {
        try place.checkBeforeUse()
        let lock = try place.lock()
        let isAlone = lock.tryExclusive()
        guard isAlone || lock.shared(within: place.busyTimeout) else {
            throw SQLiteHTTPCacheError.locked(path: place.path, after: place.busyTimeout)
        }
        if isAlone { try place.checkAlone() }
        var losses: [SQLiteHTTPCacheLoss] = []
        let pool: DatabasePool
        let identity: HTTPCachePlace.Identity?
        do {
            do {
                (pool, identity) = try openPool(place, isAlone: isAlone, &losses)
            } catch let error as DatabaseError where error.isDamage {
                try place.setAside()
                losses.append(.database(setAsideAt: place.pathSetAside, reason: error.reason))
                (pool, identity) = try openPool(place, isAlone: isAlone, &losses)
            }
        } catch {
            throw place.mapped(error)
        }
        // Others wait until this one has the lock no longer for itself.
        _ = lock.shared(within: place.busyTimeout)
        return (OpenedHTTPCache(pool: pool, identity: identity, lock: lock), losses)
    }

    private static func openPool(
        _ place: HTTPCachePlace,
        isAlone: Bool,
        _ losses: inout [SQLiteHTTPCacheLoss]
    ) throws -> (DatabasePool, HTTPCachePlace.Identity?) {
        try place.makeFile()
        // Before it is opened too: where another file takes its place meanwhile, that is seen the next time.
        let identity = place.identity
        // Before it is opened, because GRDB writes a page or two at once.
        let size = try FileManager.default.attributesOfItem(atPath: place.path)[.size] as? Int ?? 0
        var configuration = Configuration()
        configuration.label = "SQLiteHTTPCacheStore"
        configuration.busyMode = .timeout(place.busyWait / .seconds(1))
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = 16777216")
            try place.prepare(database)
        }
        let pool = try DatabasePool(path: place.path, configuration: configuration)
        do {
            try pool.writeWithoutTransaction { database in
                try checkSize(size, in: database)
                let found = try makeTables(in: database, place)
                if found != HTTPCacheSchema.version, found != 0 { losses.append(.olderFormat(found)) }
                try database.inTransaction(.immediate) {
                    let tables = HTTPCacheTables(database, place)
                    if isAlone { try tables.sweep() }
                    try tables.trim()
                    return .commit
                }
                HTTPCacheTables(database, place).removeUnread()
            }
        } catch {
            // The files may have to move, and must not be in use then.
            try? pool.close()
            throw error
        }
        return (pool, identity)
    }

    /// Makes the tables where there are none or older ones; the format that was there, 0 when there was nothing.
    private static func makeTables(in database: Database, _ place: HTTPCachePlace) throws -> Int {
        var found = 0
        try database.inTransaction(.immediate) {
            found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let objects = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
            guard application == HTTPCacheSchema.application || objects.isEmpty && application == 0 else {
                throw SQLiteHTTPCacheError.otherContent(path: place.path, reason: "it is another program's database")
            }
            guard found <= HTTPCacheSchema.version else {
                throw place.newerFormat(found)
            }
            guard found != HTTPCacheSchema.version || objects.isEmpty else { return .rollback }
            for name in objects { try database.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)") }
            try database.execute(sql: HTTPCacheSchema.tables)
            return .commit
        }
        return found
    }

    /// Finds a file that was cut within a page, where SQLite takes what is missing for zeros; whole pages it misses itself.
    private static func checkSize(_ size: Int, in database: Database) throws {
        guard let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size"), size.isMultiple(of: pageSize) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the last page of the file is cut short")
        }
    }
}

import FeedCache
import Foundation
import GRDB

/// The location of a database, and how to open it.
struct DatabaseLocation {
    let files: StoreLocations
    let errors: ErrorMapping

    private let url: URL
    private let busyTimeout: Duration

    init(_ url: URL, busyTimeout: Duration) {
        self.url = url
        self.busyTimeout = busyTimeout
        files = StoreLocations(url, suffixes: ["-wal", "-shm"])
        errors = ErrorMapping(path: url.path, busyTimeout: busyTimeout)
    }

    /// Prevents processes from creating, migrating or setting aside one database at the same time.
    func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        try files.makeFolder()
        return try files.lock(timeout: busyTimeout).withLock(.exclusive, body)
    }

    /// Opens or creates the database, with the newest schema.
    func openPool(prepare: @escaping @Sendable (Database) throws -> Void = { _ in }) throws -> DatabasePool {
        if (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true {
            throw FeedStoreError.unreadable(path: url.path, reason: "it is a folder, not a database")
        }
        var configuration = Configuration()
        configuration.label = "SQLiteFeedStore"
        // SQLite counts milliseconds in 32 bits, which overflow after 24 days.
        configuration.busyMode = .timeout(min(busyTimeout, .seconds(1_000_000)) / .seconds(1))
        configuration.prepareDatabase(prepare)
        return try errors.mapping {
            let pool = try DatabasePool(path: url.path, configuration: configuration)
            do {
                try check(pool)
            } catch {
                // The files may be moved next, so they must not be open.
                try? pool.close()
                throw error
            }
            return pool
        }
    }

    private func check(_ pool: DatabasePool) throws {
        let migrator = FeedSchema.migrator
        let unknown = try pool.read { try migrator.appliedIdentifiers($0) }.subtracting(migrator.migrations)
        guard unknown.isEmpty else {
            throw FeedStoreError.newerSchema(
                path: url.path,
                found: unknown.sorted().joined(separator: ", "),
                supported: migrator.migrations.last ?? "none"
            )
        }
        try checkSize(pool)
        try migrator.migrate(pool)
        // Only the feed's own tables, because a check of the images' bytes would read all of them.
        try pool.read { database in
            for table in FeedSchema.checkedTables {
                let result = try String.fetchOne(database, sql: "PRAGMA quick_check(\(table))")
                guard result == "ok" else {
                    throw FeedStoreError.unreadable(path: url.path, reason: result ?? "it cannot be checked")
                }
            }
        }
    }

    /// Detects a file that was cut within its last page, whose missing bytes SQLite would read as zeros.
    private func checkSize(_ pool: DatabasePool) throws {
        let pageSize = try pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } ?? 4_096
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        guard size.isMultiple(of: pageSize) else {
            throw FeedStoreError.unreadable(path: url.path, reason: "its last page is cut short")
        }
    }
}

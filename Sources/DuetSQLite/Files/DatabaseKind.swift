package import GRDB

/// One kind of database file: the numbers that identify it, and the tables of its newest format.
package struct DatabaseKind: Sendable {
    /// The name of the kind, for the labels of its threads.
    let label: String

    /// The `application_id`, by which a file is recognized.
    let application: Int

    /// The newest format, kept as `user_version`.
    let version: Int

    /// The size of a page of a new file, in bytes.
    let pageSize: Int

    /// A query whose result is 1 for a file from before the kind had an `application_id`.
    let recognition: String?

    /// Whether a damaged file is renamed, and a new one takes its place.
    let startsOver: Bool

    /// Creates or updates the tables, and returns whether it emptied them.
    ///
    /// It receives the file's format, which is 0 for a new file.
    let update: @Sendable (_ database: DatabaseQueue, _ format: Int) throws -> Bool

    /// Throws an error if tables of the newest format are damaged.
    let check: @Sendable (Database) throws -> Void

    /// Creates a kind whose tables a migrator creates; its format is the number of the migrations.
    package init(
        label: String,
        application: Int,
        recognition: String,
        startsOver: Bool,
        migrator: DatabaseMigrator,
        check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        self.label = label
        self.application = application
        version = migrator.migrations.count
        pageSize = 4_096
        self.recognition = recognition
        self.startsOver = startsOver
        update = { database, _ in
            try migrator.migrate(database)
            return false
        }
        self.check = check
    }

    /// Creates a kind from statements, which also replace the tables of an older format.
    ///
    /// - Parameters:
    ///   - names: The names of the tables, apart from `state`, which has one row.
    ///   - tables: The statements that create the tables.
    ///   - orphans: A statement that deletes the unfinished work of killed processes, if they can leave any.
    init(
        label: String,
        application: Int,
        version: Int,
        pageSize: Int,
        names: Set<String>,
        tables: String,
        deletingOrphans orphans: String? = nil
    ) {
        self.label = label
        self.application = application
        self.version = version
        self.pageSize = pageSize
        recognition = nil
        startsOver = true
        check = { database in
            let found = try Self.tableNames(in: database)
            guard found.contains("state"), try Int.fetchOne(database, sql: "SELECT count(*) FROM state") == 1,
                found.isSuperset(of: names)
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a table is missing or incomplete") }
        }
        update = { queue, format in
            if format != version {
                try queue.write { database in
                    for name in try Self.tableNames(in: database) {
                        try database.execute(sql: "DROP TABLE \(name.quotedDatabaseIdentifier)")
                    }
                    try database.execute(sql: "\(tables) PRAGMA user_version = \(version)")
                }
                return true
            }
            if let orphans {
                do {
                    try queue.write { try $0.execute(sql: orphans) }
                } catch let error as DatabaseError where !error.isDamage {
                    // On a full disk, for example, they remain until the next time.
                }
            }
            return false
        }
    }

    /// Makes the tables current on the only connection to a file.
    ///
    /// The number that identifies the kind is written first. A process that is killed then leaves a file that the next
    /// one recognizes.
    ///
    /// - Returns: The older format of tables that were emptied, or nil.
    func makeCurrent(_ queue: DatabaseQueue) throws -> Int? {
        let (format, isNew) = try queue.inDatabase { database in
            if try Int.fetchOne(database, sql: "PRAGMA application_id") != application {
                try database.execute(sql: "PRAGMA application_id = \(application)")
            }
            return try (
                Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0, Self.tableNames(in: database).isEmpty
            )
        }
        guard format <= version else { return nil }
        let isEmptied = try update(queue, format)
        try queue.inDatabase { database in
            if format != version { try database.execute(sql: "PRAGMA user_version = \(version)") }
            try check(database)
        }
        return isEmptied && !isNew ? format : nil
    }

    /// Replaces everything in a database by empty tables, in one step that works in a damaged file too.
    func empty(_ database: Database) throws {
        let pageSize = try Self.readable { try Int.fetchOne(database, sql: "PRAGMA page_size") } ?? pageSize
        let new = try DatabaseQueue()
        try new.inDatabase { try $0.execute(sql: "PRAGMA page_size = \(pageSize)") }
        _ = try makeCurrent(new)
        try new.inDatabase { try $0.backup(to: database) }
    }

    /// The format of the tables; nil if it cannot be read in a damaged file.
    static func format(of database: Database) throws -> Int? {
        try readable { try Int.fetchOne(database, sql: "PRAGMA user_version") }
    }

    private static func readable(_ read: () throws -> Int?) throws -> Int? {
        do {
            return try read()
        } catch let error as DatabaseError where error.isDamage {
            return nil
        }
    }

    private static func tableNames(in database: Database) throws -> Set<String> {
        try String.fetchSet(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    }
}

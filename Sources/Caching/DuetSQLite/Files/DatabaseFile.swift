import Foundation
package import GRDB

/// A database file of one kind: opens it, creates it, or refuses a file that is not of this kind.
///
/// A refused file is unchanged, and nothing is created beside it.
package struct DatabaseFile: Sendable {
    /// Prepares each connection to a file that the task names, so that tests can make statements fail.
    @TaskLocal package static var prepareConnection: @Sendable (Database) throws -> Void = { _ in }
    /// The database, its write-ahead log, the index of the log, and the rollback journal.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]
    /// The pause between attempts to lock a file that others use.
    private static let pause = Duration.milliseconds(5)

    /// The absolute path, without links: readers are opened later too, and a link must not be renamed.
    package let path: String
    let report: @Sendable (SQLiteStoreLoss) -> Void
    private let kind: DatabaseKind
    private let busyTimeout: Duration
    /// Whether a damaged file may be renamed.
    private let startsOver: Bool
    private let prepare: @Sendable (Database) throws -> Void
    /// Throws an error if the tables are damaged.
    private let check: @Sendable (_ database: Database, _ isAlone: Bool) throws -> Void

    private var lockPath: String { path + ".lock" }
    private var renamedPath: String { path + ".unreadable" }

    /// Names a file.
    ///
    /// - Throws: ``SQLiteStoreError/notOurs(path:reason:)`` if the path is not that of a file.
    package init(
        path: String,
        kind: DatabaseKind,
        busyTimeout: Duration = .seconds(5),
        startsOver: Bool = true,
        report: @escaping @Sendable (SQLiteStoreLoss) -> Void = { _ in },
        prepare: @escaping @Sendable (Database) throws -> Void = { _ in },
        check: @escaping @Sendable (_ database: Database, _ isAlone: Bool) throws -> Void = { _, _ in }
    ) throws {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.hasPrefix("file:"), !path.hasPrefix("~/") else {
            throw SQLiteStoreError.notOurs(path: path, reason: "it is not the path of a file")
        }
        var file = URL(filePath: path).resolvingSymlinksInPath()
        // A link may lead to a file that does not exist yet. Links in a circle have no end.
        for _ in 0..<40 {
            let path = file.path(percentEncoded: false)
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            file = URL(filePath: target, relativeTo: file.deletingLastPathComponent()).resolvingSymlinksInPath()
        }
        self.path = file.absoluteURL.path(percentEncoded: false)
        self.kind = kind
        // SQLite counts milliseconds in 32 bits.
        self.busyTimeout = min(max(.zero, busyTimeout), .seconds(1_000_000))
        self.startsOver = startsOver
        self.report = report
        self.prepare = { [prepareConnection = Self.prepareConnection] database in
            // The file may come from somebody else: it calls no functions that are not made for that.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try prepareConnection(database)
            try prepare(database)
        }
        self.check = check
    }

    // MARK: Opening

    /// Opens the file, or creates it with its folder, on a thread that tasks do not share.
    ///
    /// - Throws: ``SQLiteStoreError``.
    package func open() async throws -> DatabasePool {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "DuetSQLite").async {
                continuation.resume(with: Result { try mapping { try blockingOpen() } })
            }
        }
    }

    private func blockingOpen() throws -> DatabasePool {
        do {
            _ = try isNew()
        } catch _ where isThere(lockPath) {
            // Another process may be creating or replacing the file: with the lock, it is looked at again.
        }
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let lock = try FileLock(path: lockPath)
        var failure = SQLiteStoreError.locked(path: path, after: busyTimeout)
        // At least twice: a damaged file is renamed, and then a new one is created.
        for _ in 0...max(1, Int(busyTimeout / Self.pause)) {
            if try lock.lock(LOCK_EX) {
                do { _ = try connect(lock, isAlone: true) } catch let error as DatabaseError where error.isDamage {
                    try startOver(because: error.reason)
                }
                lock.notesDamage = false
            }
            if try lock.lock(LOCK_SH) {
                do {
                    if let pool = try connect(lock, isAlone: false) { return pool }
                } catch let error as DatabaseError where error.isDamage {
                    // It is renamed when no other process uses it.
                    failure = .damaged(path: path, reason: error.reason)
                }
                _ = try lock.lock(LOCK_UN)
            }
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        }
        throw failure
    }

    /// Makes the file current if this process is alone with it, and returns nil; otherwise opens it, or returns nil if
    /// it is not current.
    private func connect(_ lock: FileLock, isAlone: Bool) throws -> DatabasePool? {
        let isNew = try isNew(alone: isAlone ? lock : nil)
        guard isAlone || !isNew else { return nil }
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.prepareDatabase(prepare)
        configuration.prepareDatabase { [path, kind] database in
            // The connections keep the lock.
            try withExtendedLifetime(lock) {
                // SQLite gives new files the permissions of the database. A link may lead to another file.
                for suffix in Self.suffixes {
                    _ = unsafe fchmodat(AT_FDCWD, path + suffix, 0o600, AT_SYMLINK_NOFOLLOW)
                }
                guard isNew else { return }
                // Before all others, so that the next process recognizes the file if this one is killed.
                try database.execute(
                    sql: "PRAGMA page_size = \(kind.pageSize); PRAGMA application_id = \(kind.application)"
                )
            }
        }
        let writer: any DatabaseWriter =
            isAlone
            ? try DatabaseQueue(path: path, configuration: configuration)
            : try DatabasePool(path: path, configuration: configuration)
        let format = try writer.writeWithoutTransaction(format)
        // The tables of an older format without a migrator are not read.
        if format == kind.version || kind.migrator != nil { try writer.writeWithoutTransaction(kind.checkPrograms) }
        if format < kind.version {
            guard isAlone else { return nil }
            if let migrator = kind.migrator {
                try migrator.migrate(writer)
                try writer.write { try $0.execute(sql: "PRAGMA user_version = \(kind.version)") }
            } else {
                try writer.writeWithoutTransaction(empty)
                if format != 0 { report(.olderFormat(format)) }
            }
        }
        try writer.writeWithoutTransaction { database in
            try check(database, isAlone)
            // SQLite does not wait for others that do it at the same time.
            if isAlone { try database.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        return writer as? DatabasePool
    }

    /// Looks at the file without a change of it or of its folder, and returns whether it has to be created.
    ///
    /// - Parameter lock: The lock of a process that is alone with the file, which looks for damage too.
    private func isNew(alone lock: FileLock? = nil) throws -> Bool {
        guard let header = try FileHeader(path: path) else { return true }
        guard header.isRegular, header.application == kind.application else {
            let reason = header.isDatabase ? "it is another program's database" : "it is not an SQLite database"
            throw SQLiteStoreError.notOurs(path: path, reason: header.isRegular ? reason : "it is not a regular file")
        }
        guard header.version <= kind.version else { throw newer(header.version) }
        guard let lock else { return false }
        if lock.notesDamage { throw DatabaseError.damage("a program found damage while it used the file") }
        // SQLite reads missing bytes of the last page as zeros. After a full disk, the log may have them.
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        if header.size < header.expectedSize, log ?? 0 == 0 { throw DatabaseError.damage("its end is missing") }
        return false
    }

    /// Renames the damaged file, in place of one that was renamed before.
    private func startOver(because reason: String) throws {
        if startsOver { deleteRenamed() }
        guard startsOver, !isThere(renamedPath) else { throw SQLiteStoreError.damaged(path: path, reason: reason) }
        // The database last: until then, the next process finds it damaged, and renames it again.
        for suffix in Self.suffixes.reversed() where isThere(path + suffix) {
            guard unsafe rename(path + suffix, renamedPath + suffix) == 0 else { throw POSIXError.last }
        }
        report(kind.loss(renamedPath, reason))
    }

    /// Deletes a file that was renamed because it was damaged.
    func deleteRenamed() {
        guard (try? FileHeader(path: renamedPath))?.application == kind.application else { return }
        for suffix in Self.suffixes { try? FileManager.default.removeItem(atPath: renamedPath + suffix) }
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: The open database

    /// Replaces everything by empty tables, in one step that works in a damaged file too.
    package func empty(_ database: Database) throws {
        _ = try readable { try format(of: database) }
        let pageSize = try readable { try Int.fetchOne(database, sql: "PRAGMA page_size") } ?? kind.pageSize
        let new = try DatabaseQueue()
        try new.inDatabase {
            try $0.execute(sql: "PRAGMA page_size = \(pageSize); PRAGMA application_id = \(kind.application)")
        }
        try kind.create(in: new)
        try new.inDatabase {
            try $0.execute(sql: "PRAGMA user_version = \(kind.version)")
            try $0.backup(to: database)
        }
        try? FileLock(path: lockPath).notesDamage = false
    }

    /// Translates errors, and notes damage for the next process that opens the file, which may not find it by itself.
    package func mapping<Value>(_ database: Database? = nil, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            if error.isDamage, let database {
                _ = try readable { try format(of: database) }
                try? FileLock(path: lockPath).notesDamage = true
            }
            throw SQLiteStoreError(error, path: path, busyTimeout: busyTimeout)
        } catch let error as POSIXError {
            throw SQLiteStoreError.cannotOpen(path: path, underlying: error)
        } catch let error as CocoaError {
            throw SQLiteStoreError.cannotOpen(path: path, underlying: error.underlying ?? error)
        }
    }

    /// Nil if the file is too damaged to be read.
    private func readable(_ read: () throws -> Int?) throws -> Int? {
        do { return try read() } catch let error as DatabaseError where error.isDamage { return nil }
    }

    /// - Throws: ``SQLiteStoreError/newerFormat(path:found:supported:)``, also if a newer program has just changed it.
    private func format(of database: Database) throws -> Int {
        let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard format <= kind.version else { throw newer(format) }
        return format
    }

    private func newer(_ format: Int) -> SQLiteStoreError {
        .newerFormat(path: path, found: format, supported: kind.version)
    }
}

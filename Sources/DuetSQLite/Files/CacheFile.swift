import Duet
import Foundation
import GRDB
import Synchronization

/// The file of a cache: opens it, refuses other content, and sets a damaged file aside.
struct CacheFile: Sendable {
    /// The damage that was found in an open file.
    struct Damage: Sendable {
        let file: CacheConnections
        let error: DatabaseError
    }

    /// The database, its write-ahead log, and the index of the log.
    private static let suffixes = ["", "-wal", "-shm"]
    /// The number of retries after an error that may come from files that are being renamed.
    private static let renamingRetryLimit = 10
    /// The number of bytes of the write-ahead log that SQLite keeps when it is empty.
    private static let logSize = 16 * 1024 * 1024
    /// The number of bytes of the write-ahead log that are moved to the database at a time.
    private static let checkpointSize = 4_096_000
    /// The number of seconds that a reader waits for a lock, which it needs only while another process repairs the log.
    private static let readerTimeout = 10.0

    /// Lets one thread of this process at a time open, rename or delete a file.
    ///
    /// SQLite's locks exclude other processes only. Within one process, a connection to a file that another thread
    /// renames would find the index of the new file's log at the old path, and believe that nobody uses it.
    private static let access = Mutex(())

    let path: String
    private let schema: CacheSchema
    private let busyTimeout: Duration
    private let prepare: @Sendable (Database) throws -> Void
    private let trim: @Sendable (Database) throws -> Void

    /// - Parameters:
    ///   - prepare: Prepares each connection.
    ///   - trim: Removes entries that exceed the limits of the store from a file that is being opened.
    /// - Throws: ``SQLiteCacheError/otherContent(path:reason:)`` if the path is not that of a file.
    init(
        path: String,
        schema: CacheSchema,
        busyTimeout: Duration,
        prepare: @escaping @Sendable (Database) throws -> Void,
        trim: @escaping @Sendable (Database) throws -> Void
    ) throws {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.hasPrefix("file:"), !path.hasPrefix("~/") else {
            throw SQLiteCacheError.otherContent(path: path, reason: "it is not the path of a file")
        }
        // Absolute, because connections are opened later too; and resolved, because a link must not be set aside.
        self.path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        self.schema = schema
        // SQLite counts milliseconds in 32 bits.
        self.busyTimeout = min(busyTimeout, .seconds(1_000_000))
        self.prepare = prepare
        self.trim = trim
    }

    /// Opens the file, or creates it with its folder.
    ///
    /// A damaged cache is set aside first. It may wait for other processes, so it is not for a thread that tasks share.
    ///
    /// - Parameters:
    ///   - damage: The damage of a file that was open before; it is set aside if it is still in place.
    ///   - report: Called for each loss.
    /// - Throws: ``SQLiteCacheError``.
    func open(after damage: Damage? = nil, report: (SQLiteCacheLoss) -> Void) throws -> CacheConnections {
        try createFolder()
        let deadline = ContinuousClock.now + busyTimeout
        var isSetAside = false
        var renamingRetries = 0
        do {
            while true {
                let opened: CacheConnections? = try Self.access.withLock { _ in
                    let number = number
                    do {
                        return try open(number, after: damage, report)
                    } catch let error as DatabaseError where error.isDamage && !isSetAside {
                        isSetAside = try setAside(ifStill: number)
                        if isSetAside {
                            report(.database(setAsideAt: pathSetAside, reason: error.reason))
                        } else if ContinuousClock.now > deadline {
                            throw SQLiteCacheError.damagedInUse(path: path, reason: error.reason)
                        }
                    } catch DatabaseError.SQLITE_BUSY where ContinuousClock.now < deadline {
                        // SQLite does not wait by itself while several processes create one file.
                    } catch let error as DatabaseError
                        where error.mayComeFromRenaming && ContinuousClock.now < deadline
                        && (number != self.number || renamingRetries < Self.renamingRetryLimit)
                    {
                        // Another process set the file aside between the look at it and its opening.
                        renamingRetries += 1
                    }
                    return nil
                }
                if let opened { return opened }
                // Processes that try at the same time keep each other from the exclusive lock, so their pauses differ.
                if !isSetAside { Thread.sleep(forTimeInterval: .random(in: 0.001...0.02)) }
            }
        } catch {
            throw mapped(error)
        }
    }

    private func open(
        _ number: Int?,
        after damage: Damage?,
        _ report: (SQLiteCacheLoss) -> Void
    ) throws -> CacheConnections {
        try refuseOtherContent()
        if let damage, damage.file.number == number { throw damage.error }
        if number != nil { try deleteOrphans(of: number) }
        return try connect(number, report)
    }

    /// Deletes a file that is closed, unless another connection has it open.
    func delete(_ file: CacheConnections) throws -> Bool {
        try Self.access.withLock { _ in
            try exclusively(ifStill: file.number) { _ in
                for suffix in Self.suffixes.reversed() where isThere(path + suffix) {
                    try FileManager.default.removeItem(atPath: path + suffix)
                }
            }
        }
    }

    /// Deletes a file that was set aside.
    func deleteSetAside() {
        for suffix in Self.suffixes { try? FileManager.default.removeItem(atPath: pathSetAside + suffix) }
    }

    /// The public form of an error.
    func mapped(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: SQLiteCacheError.locked(path: path, after: busyTimeout)
        // The connection was closed.
        case .SQLITE_MISUSE: SQLiteCacheError.replaced(path: path)
        default:
            error.isDamage
                ? SQLiteCacheError.damaged(path: path, reason: error.reason)
                : SQLiteCacheError.failed(path: path, underlying: error)
        }
    }

    // MARK: Opening

    private func createFolder() throws {
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SQLiteCacheError.folderUnavailable(path: folder.path, underlying: error)
        }
    }

    /// Refuses a file that is not a cache, through a connection that cannot write.
    ///
    /// - Throws: ``SQLiteCacheError``; `DatabaseError` if a cache is damaged.
    private func refuseOtherContent() throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        let type = attributes[.type] as? FileAttributeType
        // A link that leads nowhere yet.
        if type == .typeSymbolicLink { return }
        guard type == .typeRegular else {
            throw SQLiteCacheError.otherContent(path: path, reason: "it is not a regular file")
        }
        let size = attributes[.size] as? Int ?? 0
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        let hasLog = log?[.size] as? Int ?? 0 > 0
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { [path, schema] database in
            // Otherwise SQLite does not read the `application_id` of a file that was cut short.
            try database.execute(sql: "PRAGMA writable_schema = ON")
            var found: Int?
            try database.inTransaction(.deferred) {
                found = try schema.check(database, at: path)
                return .commit
            }
            guard found != nil, let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") else { return }
            // SQLite reads the missing bytes of the last page as zeros. A full disk may leave such a page while its log
            // still has the whole one.
            guard size.isMultiple(of: pageSize) || hasLog else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the last page of the file is cut short")
            }
        }
        _ = try DatabaseQueue(path: path, configuration: configuration)
    }

    private func connect(_ number: Int?, _ report: (SQLiteCacheLoss) -> Void) throws -> CacheConnections {
        var configuration = Configuration()
        configuration.label = schema.label
        configuration.prepareDatabase(prepare)
        configuration.readonly = true
        configuration.busyMode = .timeout(Self.readerTimeout)
        let connections = CacheConnections(writer: try openWriter(number), number: self.number) {
            [path, configuration] in try DatabaseQueue(path: path, configuration: configuration)
        }
        let older = try connections.writer.write { database in
            let older = try schema.create(in: database, at: path)
            try trim(database)
            return older
        }
        if schema.waitsForDisk {
            // Afterward, because GRDB sets `synchronous = NORMAL` when it turns on WAL mode.
            try connections.writer.writeWithoutTransaction {
                try $0.execute(
                    sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"
                )
            }
        }
        if let older { report(.olderFormat(older)) }
        return connections
    }

    private func openWriter(_ number: Int?) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = schema.label
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            try prepareWriter(database, number)
            try prepare(database)
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func prepareWriter(_ database: Database, _ number: Int?) throws {
        // The first access takes a shared lock, which a connection to a cache keeps. No process can set the file aside
        // from now on.
        _ = try Int.fetchOne(database, sql: "PRAGMA schema_version")
        // It must not wait for that lock. Otherwise it could get a file that was renamed meanwhile, and the log of the
        // new one.
        guard number == nil || number == self.number else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        // Before SQLite creates the other two with the same permissions.
        for suffix in Self.suffixes {
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
        let milliseconds = Int(busyTimeout / .milliseconds(1))
        try database.execute(
            sql: """
                PRAGMA busy_timeout = \(milliseconds); PRAGMA journal_size_limit = \(Self.logSize);
                PRAGMA page_size = \(schema.pageSize);
                PRAGMA wal_autocheckpoint = \(Self.checkpointSize / schema.pageSize);
                PRAGMA temp_store = MEMORY
                """
        )
    }

    // MARK: Exclusive access

    /// Deletes the unfinished work of killed processes, unless another connection has the file open.
    private func deleteOrphans(of number: Int?) throws {
        guard schema.deleteOrphans != nil else { return }
        do {
            _ = try exclusively(ifStill: number) { [path, schema] database in
                try schema.deleteOrphans(in: database, at: path)
            }
        } catch let error as DatabaseError where !error.isDamage {
            // On a full disk, for example, they remain until the next time.
        }
    }

    /// Renames the damaged file, in place of one that was set aside before.
    ///
    /// - Returns: False if another connection has the file open, or another process has set it aside already.
    private func setAside(ifStill number: Int?) throws -> Bool {
        try exclusively(ifStill: number) { _ in
            deleteSetAside()
            for suffix in Self.suffixes.reversed() where isThere(path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: pathSetAside + suffix)
            }
        }
    }

    /// Does something to a file under SQLite's exclusive lock, which it grants while no other connection has the file
    /// open.
    ///
    /// The lock belongs to the database and not to its name. The database is therefore renamed or deleted last: from
    /// then on other processes can create a new one, and SQLite does not touch its files.
    ///
    /// - Returns: Whether it was done: false without the lock, and if another file has taken the place.
    private func exclusively(
        ifStill number: Int?,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) throws -> Bool {
        let isDone = Mutex(false)
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // The first lets SQLite lock a file that was cut short; the second makes the lock exclude readers.
            try database.execute(sql: "PRAGMA writable_schema = ON; PRAGMA locking_mode = EXCLUSIVE")
            try database.inTransaction(.exclusive) {
                guard self.number == number else { return .rollback }
                try body(database)
                isDone.withLock { $0 = true }
                return .commit
            }
        }
        do {
            _ = try DatabaseQueue(path: path, configuration: configuration)
        } catch DatabaseError.SQLITE_BUSY {
            return false
        } catch let error as DatabaseError where error.isDamage && isDone.withLock(\.self) {
            // The connection has done its work.
        }
        return isDone.withLock(\.self)
    }

    private var pathSetAside: String { path + ".unreadable" }

    /// The number of the file at the path in the file system, or nil without a file.
    private var number: Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

extension DatabaseError {
    /// Whether SQLite may have failed because one of the three files was renamed while it opened them.
    fileprivate var mayComeFromRenaming: Bool {
        switch resultCode {
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_IOERR: true
        default: false
        }
    }
}

import Duet
import DuetHTTPCaching
import Foundation
import GRDB
import Synchronization

/// The file of a cache: opens it, refuses other content, and sets a damaged file aside.
struct HTTPCacheFile: Sendable {
    /// The connections to a file, with the number by which the file system knows it under any name.
    struct Opened: Sendable {
        let pool: DatabasePool
        /// How many reads are under way, which a pool that closes does not wait for.
        let reads = Monitor(0)
        fileprivate let number: Int?
    }

    /// The damage that was found in an open file.
    struct Damage: Sendable {
        let file: Opened
        let error: DatabaseError
    }

    /// The database, its write-ahead log, and the index of the log.
    private static let suffixes = ["", "-wal", "-shm"]
    /// How often opening is tried again after an error that may come from files that are being renamed.
    private static let renamingRetryLimit = 10
    /// How many bytes of the write-ahead log SQLite keeps when it is empty.
    private static let logSize = 16 * 1024 * 1024

    /// Lets one thread of this process at a time open, rename or delete a file.
    ///
    /// SQLite's locks exclude other processes only. Within one process, a connection to a file that another thread
    /// renames would find the index of the new file's log at the old path, and believe that nobody uses it.
    private static let access = Mutex(())

    let path: String
    let capacity: StoreCapacity
    private let busyTimeout: Duration
    private let prepare: @Sendable (Database) throws -> Void

    /// - Throws: ``SQLiteHTTPCacheError/otherContent(path:reason:)`` if the path is not one of a file.
    init(
        path: String,
        capacity: StoreCapacity,
        busyTimeout: Duration,
        prepare: @escaping @Sendable (Database) throws -> Void
    ) throws {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.hasPrefix("file:"), !path.hasPrefix("~/") else {
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: "it is not the path of a file")
        }
        // Absolute, because connections are opened later too; and resolved, because a link must not be set aside.
        self.path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        self.capacity = capacity
        // SQLite counts milliseconds in 32 bits.
        self.busyTimeout = min(busyTimeout, .seconds(1_000_000))
        self.prepare = prepare
    }

    /// Opens the file, or creates it with its folder.
    ///
    /// A damaged cache is set aside first. It may wait for other processes, so it is not for a thread that tasks share.
    ///
    /// - Parameters:
    ///   - damage: The damage of a file that was open before; it is set aside if it is still in place.
    ///   - report: Called for each loss.
    /// - Throws: ``SQLiteHTTPCacheError``.
    func open(after damage: Damage? = nil, report: (SQLiteHTTPCacheLoss) -> Void) throws -> Opened {
        try createFolder()
        let deadline = ContinuousClock.now + busyTimeout
        var isSetAside = false
        var renamingRetries = 0
        do {
            while true {
                let opened: Opened? = try Self.access.withLock { _ in
                    let number = number
                    do {
                        return try open(number, after: damage, report)
                    } catch let error as DatabaseError where error.isDamage && !isSetAside {
                        isSetAside = try setAside(ifStill: number)
                        if isSetAside {
                            report(.database(setAsideAt: pathSetAside, reason: error.reason))
                        } else if ContinuousClock.now > deadline {
                            throw SQLiteHTTPCacheError.damagedInUse(path: path, reason: error.reason)
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
        _ report: (SQLiteHTTPCacheLoss) -> Void
    ) throws -> Opened {
        try refuseOtherContent()
        if let damage, damage.file.number == number { throw damage.error }
        if number != nil { try deleteOrphans(of: number) }
        return Opened(pool: try openPool(number, report), number: self.number)
    }

    /// Deletes a file that is closed, unless another connection has it open.
    func delete(_ file: Opened) throws -> Bool {
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
        case .SQLITE_BUSY, .SQLITE_LOCKED: SQLiteHTTPCacheError.locked(path: path, after: busyTimeout)
        // The connection was closed, because the database is replaced.
        case .SQLITE_MISUSE: SQLiteHTTPCacheError.responseGone(path: path)
        default:
            error.isDamage
                ? SQLiteHTTPCacheError.damaged(path: path, reason: error.reason)
                : SQLiteHTTPCacheError.failed(path: path, underlying: error)
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
            throw SQLiteHTTPCacheError.folderUnavailable(path: folder.path, underlying: error)
        }
    }

    /// Refuses a file that is not a cache, through a connection that cannot write.
    ///
    /// - Throws: ``SQLiteHTTPCacheError``; `DatabaseError` if a cache is damaged.
    private func refuseOtherContent() throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        let type = attributes[.type] as? FileAttributeType
        // A link that leads nowhere yet.
        if type == .typeSymbolicLink { return }
        guard type == .typeRegular else {
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: "it is not a regular file")
        }
        let size = attributes[.size] as? Int ?? 0
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { [path] database in
            // Otherwise SQLite does not read the `application_id` of a file that was cut short.
            try database.execute(sql: "PRAGMA writable_schema = ON")
            var found: Int?
            try database.inTransaction(.deferred) {
                found = try HTTPCacheSchema.check(database, at: path)
                return .commit
            }
            guard found != nil, let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") else { return }
            // SQLite takes the missing bytes of the last page for zeros.
            guard size.isMultiple(of: pageSize) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the last page of the file is cut short")
            }
        }
        _ = try DatabaseQueue(path: path, configuration: configuration)
    }

    private func openPool(_ number: Int?, _ report: (SQLiteHTTPCacheLoss) -> Void) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "SQLiteHTTPCacheStore"
        // Reads happen on the callers' threads: cooperative threads and event loops, about one of each per processor.
        configuration.maximumReaderCount = max(5, 2 * ProcessInfo.processInfo.activeProcessorCount)
        configuration.prepareDatabase { database in
            if !database.configuration.readonly { try prepareWriter(database, number) }
            try prepare(database)
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            let older = try pool.write { database in
                let older = try HTTPCacheSchema.create(in: database, at: path)
                let tables = HTTPCacheTables(database)
                try tables.trim(to: capacity.bytes)
                // Nothing reads them yet.
                try tables.deletePieces(of: tables.removed.keys)
                return older
            }
            if let older { report(.olderFormat(older)) }
            return pool
        } catch {
            try? pool.close()
            throw error
        }
    }

    private func prepareWriter(_ database: Database, _ number: Int?) throws {
        // The first access takes a shared lock, which a connection to a cache keeps: nobody can set the file aside from
        // now on.
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
            sql: "PRAGMA busy_timeout = \(milliseconds); PRAGMA journal_size_limit = \(Self.logSize)"
        )
    }

    // MARK: Exclusive access

    /// Deletes the unfinished bodies of killed processes, unless another connection has the file open.
    private func deleteOrphans(of number: Int?) throws {
        do {
            _ = try exclusively(ifStill: number) { [path] database in
                try HTTPCacheSchema.deleteOrphans(in: database, at: path)
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

    /// The file at the path, as the file system numbers it, or nil if there is none.
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

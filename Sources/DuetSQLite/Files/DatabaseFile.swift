import Foundation
package import GRDB

/// A database file and its kind: opens it, creates it, or refuses a file that is not of this kind.
///
/// A refused file is unchanged, and nothing is created beside it.
package struct DatabaseFile: Sendable {
    /// The database, its write-ahead log, the index of the log, and the rollback journal.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]
    /// The pause between attempts to lock a file that others use.
    private static let pause = Duration.milliseconds(5)

    /// The absolute path, without links: connections are opened later too, and a link must not be renamed.
    package let path: String
    /// Translates the errors of SQLite.
    package let errors: ErrorMapping

    let kind: DatabaseKind
    private let busyTimeout: Duration
    private let startsOver: Bool
    private let prepare: @Sendable (Database) throws -> Void

    /// Names a file.
    ///
    /// - Parameters:
    ///   - busyTimeout: How long to wait while others use the file.
    ///   - startsOver: Whether a damaged file may be renamed, if its kind allows it.
    ///   - prepare: Prepares each connection.
    /// - Throws: ``SQLiteStoreError/notOurs(path:reason:)`` if the path is not that of a file.
    package init(
        path: String,
        kind: DatabaseKind,
        busyTimeout: Duration = .seconds(5),
        startsOver: Bool = true,
        prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.hasPrefix("file:"), !path.hasPrefix("~/") else {
            throw SQLiteStoreError.notOurs(path: path, reason: "it is not the path of a file")
        }
        self.path = Self.resolved(URL(filePath: path)).path(percentEncoded: false)
        self.kind = kind
        // SQLite counts milliseconds in 32 bits.
        self.busyTimeout = min(max(.zero, busyTimeout), .seconds(1_000_000))
        self.startsOver = startsOver && kind.startsOver
        self.prepare = prepare
        errors = ErrorMapping(path: self.path, busyTimeout: busyTimeout)
    }

    /// Opens the file, or creates it with its folder, on a thread that tasks do not share.
    ///
    /// - Parameters:
    ///   - report: Called for each loss.
    ///   - connect: Opens connections with a configuration, which keeps the file from being renamed.
    /// - Throws: ``SQLiteStoreError``.
    package func open<Connection: DatabaseWriter>(
        report: @escaping @Sendable (SQLiteStoreLoss) -> Void,
        _ connect: @escaping @Sendable (_ path: String, _ configuration: Configuration) throws -> Connection
    ) async throws -> Connection {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: kind.label).async {
                continuation.resume(with: Result { try blockingOpen(report, connect) })
            }
        }
    }

    /// Deletes a file that was renamed because it was damaged.
    func deleteRenamed() {
        guard FileHeader(path: renamedPath)?.application == kind.application else { return }
        for suffix in Self.suffixes { try? FileManager.default.removeItem(atPath: renamedPath + suffix) }
    }

    /// The file to which links lead, also if it does not exist yet.
    private static func resolved(_ file: URL) -> URL {
        var file = file.resolvingSymlinksInPath()
        // Links in a circle have no end.
        for _ in 0..<40 {
            let path = file.path(percentEncoded: false)
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            file = URL(filePath: target, relativeTo: file.deletingLastPathComponent()).absoluteURL
                .resolvingSymlinksInPath()
        }
        return file
    }

    // MARK: Damage of an open file

    /// Notes in the lock's file that a database is damaged, so that the next process replaces it.
    ///
    /// - Throws: ``SQLiteStoreError/newerFormat(path:found:supported:)`` if a newer program has changed it.
    func noteDamage(in database: Database) throws {
        if let format = try? DatabaseKind.format(of: database), format > kind.version { throw newer(format) }
        try? FileLock(path: lockPath).noteDamage()
    }

    /// Replaces everything by empty tables, also in a damaged file.
    ///
    /// - Throws: ``SQLiteStoreError/newerFormat(path:found:supported:)`` if a newer program has changed it.
    package func empty(_ database: Database) throws {
        if let format = try DatabaseKind.format(of: database), format > kind.version { throw newer(format) }
        try kind.empty(database)
        try? FileLock(path: lockPath).forgetDamage()
    }

    private var lockPath: String { path + ".lock" }

    // MARK: Opening

    private func blockingOpen<Connection: DatabaseWriter>(
        _ report: (SQLiteStoreLoss) -> Void,
        _ connect: (String, Configuration) throws -> Connection
    ) throws -> Connection {
        do {
            do {
                _ = try content()
            } catch {
                // Another process may be creating or replacing the file: with the lock, it is looked at again.
                guard isThere(lockPath) else { throw error }
            }
            try createFolder(URL(filePath: path).deletingLastPathComponent())
            let lock = try FileLock(path: lockPath)
            var damage: String?
            for _ in 0...Int(busyTimeout / Self.pause) {
                if try lock.lockExclusively() { try makeCurrent(lock, report) }
                if try lock.lockWithOthers() {
                    do {
                        if let connection = try current(lock, connect) { return connection }
                    } catch let error as DatabaseError where error.isDamage {
                        // It can be repaired when no other process uses it.
                        damage = error.reason
                    }
                    lock.unlock()
                }
                Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
            }
            throw damage.map { SQLiteStoreError.damaged(path: path, reason: $0) }
                ?? SQLiteStoreError.locked(path: path, after: busyTimeout)
        } catch let error as SQLiteStoreError {
            throw error
        } catch let error as DatabaseError {
            throw errors.mappedOpening(error)
        } catch {
            throw SQLiteStoreError.cannotOpen(path: path, underlying: error)
        }
    }

    /// Opens connections to a file of the newest format; nil if it has to be created or updated first.
    private func current<Connection: DatabaseWriter>(
        _ lock: FileLock,
        _ connect: (String, Configuration) throws -> Connection
    ) throws -> Connection? {
        switch try content(lock) {
        case .missing, .older: return nil
        case .damaged(let reason): throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: reason)
        case .ours: break
        }
        hideFromOthers()
        var configuration = configuration
        configuration.prepareDatabase { _ in withExtendedLifetime(lock) {} }
        let connection = try connect(path, configuration)
        do {
            let format = try connection.unsafeRead { database in
                let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                if format == kind.version { try kind.check(database) }
                return format
            }
            if format == kind.version { return connection }
            guard format < kind.version else { throw newer(format) }
            try connection.close()
            return nil
        } catch {
            try? connection.close()
            throw error
        }
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = kind.label
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.prepareDatabase(prepare)
        return configuration
    }

    /// Creates missing folders for their owner alone.
    private func createFolder(_ folder: URL) throws {
        let path = folder.path(percentEncoded: false)
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT else { throw POSIXError.last }
        try createFolder(folder.deletingLastPathComponent())
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw POSIXError.last }
    }

    // MARK: Exclusive use

    /// Creates, updates or replaces the file, while no other process has it open.
    private func makeCurrent(_ lock: FileLock, _ report: (SQLiteStoreLoss) -> Void) throws {
        if case .damaged(let reason) = try content(lock) { try startOver(because: reason, report) }
        lock.forgetDamage()
        do {
            try update(report)
        } catch let error as DatabaseError where error.isDamage {
            try startOver(because: error.reason, report)
            try update(report)
        }
    }

    private func update(_ report: (SQLiteStoreLoss) -> Void) throws {
        // SQLite gives the other files the same permissions.
        let descriptor = unsafe Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        close(descriptor)
        hideFromOthers()
        var configuration = configuration
        configuration.prepareDatabase { [kind] in try $0.execute(sql: "PRAGMA page_size = \(kind.pageSize)") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        let older = try kind.makeCurrent(queue)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        if let older { report(.olderFormat(older)) }
    }

    private func hideFromOthers() {
        // A link beside the database may lead to another file.
        for suffix in Self.suffixes { _ = unsafe fchmodat(AT_FDCWD, path + suffix, 0o600, AT_SYMLINK_NOFOLLOW) }
    }

    /// Renames the damaged file, in place of one that was renamed before.
    private func startOver(because reason: String, _ report: (SQLiteStoreLoss) -> Void) throws {
        guard startsOver else { throw SQLiteStoreError.damaged(path: path, reason: reason) }
        deleteRenamed()
        guard !isThere(renamedPath) else { throw SQLiteStoreError.damaged(path: path, reason: reason) }
        // The database last: until then, the next process finds it damaged, and renames it again.
        for suffix in Self.suffixes.reversed() where isThere(path + suffix) {
            // In place of a file that was renamed before the process ended.
            guard unsafe rename(path + suffix, renamedPath + suffix) == 0 else { throw POSIXError.last }
        }
        report(.database(renamedTo: renamedPath, reason: reason))
    }

    private var renamedPath: String { path + ".unreadable" }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

import DuetHTTPCaching
import Foundation
import GRDB

/// Where the database of a cache is, and what is done to its files.
struct HTTPCachePlace: Sendable {
    /// How many bytes of its log SQLite keeps when it is empty.
    static let logSize: Int64 = 16 * 1024 * 1024

    private static let suffixes = ["", "-wal", "-shm"]

    /// What is in the lock of all who have a cache open, and says that the file beside it has been one.
    private static let signature = Data("Duet HTTP cache\n".utf8)

    let path: String
    let capacity: StoreCapacity
    let busyTimeout: Duration
    /// What is done with each connection at first.
    let prepare: @Sendable (Database) throws -> Void

    /// SQLite counts milliseconds in 32 bits, which overflow after 24 days.
    var busyWait: Duration { min(busyTimeout, .seconds(1_000_000)) }

    var pathSetAside: String { path + ".unreadable" }

    /// The file at the place, or nil when there is none.
    var identity: FileIdentity? { FileIdentity(path: path) }

    /// The files beside it, by the ends of their names.
    var besides: [String: FileIdentity] {
        var files: [String: FileIdentity] = [:]
        for suffix in Self.suffixes.dropFirst() { files[suffix] = FileIdentity(path: path + suffix) }
        return files
    }

    /// Takes away files that are still beside it although another file has taken its place; who has them open keeps them.
    func remove(_ besides: [String: FileIdentity]) {
        for (suffix, file) in besides where FileIdentity(path: path + suffix) == file { unsafe unlink(path + suffix) }
    }

    /// The lock of the one who opens what is at the place, or puts it aside, as soon as nobody else does.
    func lockForOpening(within wait: Duration) throws -> FileLock {
        let lock = try inFolder { try FileLock.exclusive(path: path + ".opening", within: wait) }
        guard let lock else { throw SQLiteHTTPCacheError.locked(path: path, after: wait) }
        return lock
    }

    /// The lock of all who have it open, which is not locked yet.
    func lockOfUsers() throws -> FileLock {
        let lock = try inFolder { try FileLock(path: path + ".lock") }
        guard lock.sign(Self.signature) else {
            throw SQLiteHTTPCacheError.otherContent(path: path + ".lock", reason: "it is the lock of something else")
        }
        return lock
    }

    /// Whether there has been a cache at the place.
    var isSigned: Bool {
        guard let lock = FileHandle(forReadingAtPath: path + ".lock") else { return false }
        defer { try? lock.close() }
        return (try? lock.read(upToCount: Self.signature.count + 1)) == Self.signature
    }

    /// Makes the folder if need be.
    private func inFolder<Value>(_ body: () throws -> Value) throws -> Value {
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: attributes
            )
            return try body()
        } catch {
            throw SQLiteHTTPCacheError.folderUnavailable(path: folder.path, underlying: error)
        }
    }

    /// Sees to it that there is a file, for its owner alone; those that SQLite puts beside it become like it.
    func makeFile() throws {
        // Never opened where there is one: to close it would let go of the locks that SQLite has on it in this process.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
            // What is left of a file that was deleted must not be taken for a part of the new one.
            for suffix in Self.suffixes.dropFirst() { unsafe unlink(path + suffix) }
        } else {
            guard errno == EEXIST else { throw SQLiteHTTPCacheError.failed(path: path, underlying: POSIXError.last) }
            for suffix in Self.suffixes { unsafe chmod(path + suffix, 0o600) }
        }
    }

    /// Puts the files out of the way, in place of others that were put there before: it is but a cache.
    ///
    /// The database goes first: who begins anew after a crash in the middle of this removes what is left of the others.
    func setAside(because error: DatabaseError) throws -> SQLiteHTTPCacheLoss {
        removeSetAside()
        for suffix in Self.suffixes where unsafe rename(path + suffix, pathSetAside + suffix) != 0 {
            guard errno == ENOENT else { throw SQLiteHTTPCacheError.failed(path: path, underlying: POSIXError.last) }
        }
        return .database(setAsideAt: pathSetAside, reason: error.reason)
    }

    /// How many bytes the log has.
    var sizeOfLog: Int64 {
        var status = stat()
        return unsafe stat(path + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Takes the files away, also from those who have them open, and says whether that could be done; nobody opens them meanwhile.
    ///
    /// Emptied first, because their bytes would otherwise stay on the disk until everybody has closed them; what SQLite shares in
    /// memory is left as it is.
    func removeFiles() -> Bool {
        guard let opening = try? lockForOpening(within: .zero) else { return false }
        defer { withExtendedLifetime(opening) {} }
        for suffix in Self.suffixes.dropLast() where unsafe truncate(path + suffix, 0) != 0 && errno != ENOENT {
            return false
        }
        return Self.suffixes.allSatisfy { unsafe unlink(path + $0) == 0 || errno == ENOENT }
    }

    /// Removes what was put out of the way.
    func removeSetAside() {
        for suffix in Self.suffixes { unsafe unlink(pathSetAside + suffix) }
    }

    /// What an error means for those who asked.
    func mapped(_ error: any Error) -> any Error {
        if error is RowGone { return SQLiteHTTPCacheError.responseGone(path: path) }
        guard let error = error as? DatabaseError else { return error }
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: SQLiteHTTPCacheError.locked(path: path, after: busyTimeout)
        default:
            error.isDamage
                ? SQLiteHTTPCacheError.damaged(path: path, reason: error.reason)
                : SQLiteHTTPCacheError.failed(path: path, underlying: error)
        }
    }
}

extension DatabaseError {
    /// Whether another content of the file would help; what a statement that is right finds wrong is the tables' fault.
    var isDamage: Bool {
        switch resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA: true
        default: false
        }
    }

    /// What SQLite says, without the statement and its values.
    var reason: String { message ?? "\(resultCode)" }
}

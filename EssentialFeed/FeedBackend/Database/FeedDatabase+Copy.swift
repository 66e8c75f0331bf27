import DuetSQLite
import Foundation
import GRDB

extension FeedDatabase {
    /// Writes a copy of everything to a new file, for its owner alone, while others read and write.
    ///
    /// The copy includes the write-ahead log, and is one file. It is written to a file beside it, whose name ends with
    /// `.new`, and has its own name only when it is complete. If the program is killed, the next copy replaces the
    /// part.
    ///
    /// - Throws: `POSIXError` with the code `EEXIST` if the file exists, with `EWOULDBLOCK` if another copy to it is
    ///   being made, and with `ENOSPC` if the disk is full; another error if it cannot be written. There is then no
    ///   file.
    public func copy(to path: String) async throws {
        try await connection.read { try $0.copy(to: path, isReplacing: false) }
    }
}

extension Database {
    /// Copies a database of an earlier version before it is migrated, next to it, in place of earlier such copies.
    ///
    /// - Parameter newest: The version to which it is migrated.
    func copyBeforeMigration(to newest: Int) throws {
        let version = try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0
        guard 1..<newest ~= version,
            let path = try String.fetchOne(self, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
        else { return }
        let file = URL(filePath: path)
        let name = file.lastPathComponent + ".version-"
        let folder = file.deletingLastPathComponent()
        let copy = "\(name)\(version)"
        try self.copy(to: folder.appending(path: copy).path(percentEncoded: false), isReplacing: true)
        for other in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        where other.wholeMatch(of: #/.*\.version-[0-9]+/#) != nil && other.hasPrefix(name) && other != copy {
            try FileManager.default.removeItem(at: folder.appending(path: other))
        }
    }

    /// Copies everything to a file, for its owner alone, and without a log beside it.
    fileprivate func copy(to path: String, isReplacing: Bool) throws {
        let new = path + ".new"
        let descriptor = unsafe open(new, O_CREAT | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        defer { close(descriptor) }
        // The file of another copy that is being made is left alone. One that an ended program left has no lock.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw POSIXError.last }
        do {
            guard isReplacing || !FileManager.default.fileExists(atPath: path) else { throw POSIXError(.EEXIST) }
            guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else { throw POSIXError.last }
            let copy = try DatabaseQueue(path: new)
            try copy.inDatabase { destination in
                // Without a file beside it, which a killed program would leave.
                try destination.execute(sql: "PRAGMA journal_mode = MEMORY")
                try backup(to: destination)
                try destination.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try copy.close()
            try move(new, to: path)
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw (error as? DatabaseError)?.resultCode == .SQLITE_FULL ? POSIXError(.ENOSPC) : error
        }
    }
}

/// Gives a file another name, in place of a file that has it.
private func move(_ path: String, to new: String) throws {
    guard unsafe rename(path, new) == 0 else { throw POSIXError.last }
}

extension POSIXError {
    fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

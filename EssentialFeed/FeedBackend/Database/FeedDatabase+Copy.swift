import DuetSQLite
import Foundation
import GRDB

extension FeedDatabase {
    /// Writes a copy of everything to a new file, for its owner alone, while others read and write.
    ///
    /// The copy includes the write-ahead log, and is one file.
    ///
    /// - Throws: `POSIXError` with the code `EEXIST` if the file exists; `POSIXError` or `DatabaseError` if it cannot
    ///   be written. There is then no file.
    public func copy(to path: String) async throws {
        try await connection.read { try $0.copy(to: path) }
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
        let new = folder.appending(path: "\(name)\(version).new")
        // A part of a copy, if an earlier attempt was killed.
        try? FileManager.default.removeItem(at: new)
        try copy(to: new.path(percentEncoded: false))
        for other in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        where other.wholeMatch(of: #/.*\.version-[0-9]+/#) != nil && other.hasPrefix(name) {
            try FileManager.default.removeItem(at: folder.appending(path: other))
        }
        try FileManager.default.moveItem(at: new, to: folder.appending(path: "\(name)\(version)"))
    }

    /// Copies everything to a new file, for its owner alone, and without a log beside it.
    fileprivate func copy(to path: String) throws {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        close(descriptor)
        do {
            let copy = try DatabaseQueue(path: path)
            try copy.inDatabase { destination in
                try backup(to: destination)
                try destination.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try copy.close()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }
}

import Foundation
import GRDB

/// Recognizes the file of a kind without a change of it or of its folder.
extension DatabaseFile {
    enum Content {
        /// No file, or an empty one.
        case missing
        case ours
        /// Of this kind, from before it had a number.
        case older
        case damaged(String)
    }

    /// Looks at the file.
    ///
    /// - Parameter lock: The lock, which knows of damage that was found while the file was open.
    /// - Throws: ``SQLiteStoreError`` for a file of another kind or of a newer format; `POSIXError`.
    func content(_ lock: FileLock? = nil) throws -> Content {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return .missing }
            throw POSIXError.last
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw notOurs("it is not a regular file") }
        guard status.st_size > 0 else { return .missing }
        do {
            let view = try ImmutableDatabase(path: path)
            guard try view.number("PRAGMA application_id") == kind.application else {
                guard try view.number("PRAGMA application_id") == 0, let recognition = kind.recognition,
                    try view.number(recognition) == 1
                else { throw notOurs("it is another program's database") }
                return .older
            }
            let format = try view.number("PRAGMA user_version")
            guard format <= kind.version else { throw newer(format) }
            if lock?.isDamageNoted == true { return .damaged("a program found damage while it used the file") }
            // SQLite reads the missing bytes of the last page as zeros. A full disk may leave such a page while the log
            // still has the whole one.
            var log = stat()
            let hasLog = unsafe stat(path + "-wal", &log) == 0 && log.st_size > 0
            let pageSize = try max(1, view.number("PRAGMA page_size"))
            return Int(status.st_size).isMultiple(of: pageSize) || hasLog
                ? .ours : .damaged("the last page of the file is cut short")
        } catch let error as DatabaseError where error.isDamage {
            let header = FileHeader(path: path)
            guard header?.application == kind.application else {
                throw notOurs(
                    header == nil || error.resultCode == .SQLITE_NOTADB
                        ? "it is not an SQLite database" : "it is another program's database"
                )
            }
            return .damaged(error.reason)
        }
    }

    private func notOurs(_ reason: String) -> SQLiteStoreError { .notOurs(path: path, reason: reason) }

    func newer(_ format: Int) -> SQLiteStoreError {
        .newerFormat(path: path, found: format, supported: kind.version)
    }
}

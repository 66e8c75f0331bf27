import Foundation
import GRDB
import GRDBSQLite

/// A view of a database file that takes no locks, reads no log, and creates no files beside it.
///
/// SQLite opens the file. A process that opens and closes it itself would lose the locks of its connections.
@safe final class ImmutableDatabase {
    private let connection: OpaquePointer?

    /// Opens the view.
    ///
    /// - Throws: `DatabaseError`.
    init(path: String) throws {
        let name = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2("file:\(name)?immutable=1", &opened, flags, nil)
        unsafe connection = opened
        guard code == SQLITE_OK else { throw error(code) }
        // It reads the header of a file that is shorter than its number of pages. The log may have the rest.
        _ = try? number("PRAGMA writable_schema = ON")
    }

    deinit {
        _ = unsafe sqlite3_close(connection)
    }

    /// The number that a query selects; 0 without a row, or if the query's tables are missing.
    ///
    /// - Throws: `DatabaseError`.
    func number(_ sql: String) throws -> Int {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        defer { _ = unsafe sqlite3_finalize(statement) }
        if code == SQLITE_ERROR { return 0 }
        guard code == SQLITE_OK else { throw error(code) }
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW: return unsafe Int(sqlite3_column_int64(statement, 0))
        case SQLITE_DONE: return 0
        case let code: throw error(code)
        }
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) }
        )
    }
}

/// The first bytes of a damaged database, which SQLite does not read anymore.
struct FileHeader {
    /// The `application_id`.
    let application: Int

    /// Reads the header; nil if the file does not begin like a database.
    init?(path: String) {
        // The path of a pipe or a device must not be opened.
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard type == .typeRegular, let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.read(upToCount: 100), bytes.count == 100,
            bytes.starts(with: Data("SQLite format 3\u{0}".utf8))
        else { return nil }
        application = bytes[68..<72].reduce(0) { $0 << 8 | Int($1) }
    }
}

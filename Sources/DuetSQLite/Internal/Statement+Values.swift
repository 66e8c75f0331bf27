package import Foundation
package import GRDB
import GRDBSQLite

/// Values in and out of a statement, straight through SQLite's own functions.
///
/// GRDB's rows trap on a value of another type than they are asked for, which a damaged file may hold; SQLite's functions
/// convert or answer nothing. They also save an array of arguments for each of ten thousand rows.
extension Statement {
    /// Runs a statement that returns no rows, and makes it ready for the next run.
    package func run() throws {
        defer { rewind() }
        while try step() {}
    }

    /// Goes to the next row; false when there is none.
    package func step() throws -> Bool {
        switch unsafe sqlite3_step(sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let message = unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement)))
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
        }
    }

    /// Makes the statement ready for the next run.
    ///
    /// The error that SQLite returns here is that of the last step, known already.
    package func rewind() {
        _ = unsafe sqlite3_reset(sqliteStatement)
    }

    package func bind(_ value: Int, at index: Int32) {
        bind(Int64(value), at: index)
    }

    package func bind(_ value: Int64, at index: Int32) {
        unsafe sqlite3_bind_int64(sqliteStatement, index, value)
    }

    package func bind(_ value: Double, at index: Int32) {
        unsafe sqlite3_bind_double(sqliteStatement, index, value)
    }

    package func bind(_ value: String?, at index: Int32) {
        guard var value else {
            unsafe sqlite3_bind_null(sqliteStatement, index)
            return
        }
        value.withUTF8 { bytes in
            _ = unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe sqlite3_bind_text(sqliteStatement, index, bytes.baseAddress, Int32(bytes.count), transient)
            }
        }
    }

    package func bind(_ value: UUID, at index: Int32) {
        unsafe withUnsafeBytes(of: value.uuid) { bytes in
            _ = unsafe sqlite3_bind_blob(sqliteStatement, index, bytes.baseAddress, Int32(bytes.count), transient)
        }
    }

    package func bind(_ value: Data, at index: Int32) {
        unsafe value.withUnsafeBytes { bytes in
            // Without an address SQLite would bind NULL; a blob of no bytes is one all the same.
            _ =
                unsafe bytes.baseAddress == nil
                ? sqlite3_bind_zeroblob(sqliteStatement, index, 0)
                : sqlite3_bind_blob64(sqliteStatement, index, bytes.baseAddress, UInt64(bytes.count), transient)
        }
    }

    package func integer(at index: Int32) -> Int64 {
        unsafe sqlite3_column_int64(sqliteStatement, index)
    }

    package func double(at index: Int32) -> Double {
        unsafe sqlite3_column_double(sqliteStatement, index)
    }

    /// The text in a column, or nil for NULL.
    package func text(at index: Int32) -> String? {
        guard let bytes = unsafe sqlite3_column_text(sqliteStatement, index) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(sqliteStatement, index))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The UUID in a column, or nil when it does not hold sixteen bytes.
    package func uuid(at index: Int32) -> UUID? {
        guard let bytes = unsafe sqlite3_column_blob(sqliteStatement, index),
            unsafe sqlite3_column_bytes(sqliteStatement, index) == 16
        else { return nil }
        return unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// The bytes in a column.
    package func data(at index: Int32) -> Data {
        guard let bytes = unsafe sqlite3_column_blob(sqliteStatement, index) else { return Data() }
        return unsafe Data(bytes: bytes, count: Int(sqlite3_column_bytes(sqliteStatement, index)))
    }

    /// Tells SQLite to copy what is bound (`SQLITE_TRANSIENT`, a macro that Swift does not see).
    private var transient: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

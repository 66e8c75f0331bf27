import DuetCaching
import Foundation
import GRDBSQLite

/// Reads rows of `SQLiteCacheStore` with SQLite's C functions: one connection, one prepared statement, no checks.
final class HandWrittenValueReader {
    private let database, statement: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw HandWrittenError(message: path)
        }
        database = handle
        let sql = "SELECT loaded, usableUntil, writer, epoch, tags, bytes FROM value WHERE id = ?"
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
            throw HandWrittenError(message: sql)
        }
        statement = prepared
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    /// The numbers of all rows.
    func ids() throws -> [Int64] {
        var rows: OpaquePointer?
        guard sqlite3_prepare_v2(database, "SELECT id FROM value ORDER BY epoch", -1, &rows, nil) == SQLITE_OK else {
            throw HandWrittenError(message: "value")
        }
        defer { sqlite3_finalize(rows) }
        var ids: [Int64] = []
        while sqlite3_step(rows) == SQLITE_ROW { ids.append(sqlite3_column_int64(rows, 0)) }
        return ids
    }

    /// The value of a row, whose only tag is all of the column.
    func read(_ id: Int64) throws -> StoredValue {
        sqlite3_bind_int64(statement, 1, id)
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw HandWrittenError(message: "\(id)") }
        return StoredValue(
            bytes: data(5),
            loaded: date(0),
            usableUntil: date(1),
            tags: [String(decoding: data(4).dropFirst(4), as: UTF8.self)],
            writer: data(2).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) },
            epoch: Int(sqlite3_column_int64(statement, 3))
        )
    }

    private func date(_ column: Int32) -> Date {
        let bits = UInt64(bitPattern: sqlite3_column_int64(statement, column))
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    private func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }
}

import Foundation
import GRDBSQLite

/// Reads the rows of a stored response with SQLite's C functions: one connection, prepared statements.
final class HandWrittenReader {
    private let database: OpaquePointer
    private let head, pieces: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else { throw WrongBody(store: path) }
        database = handle
        head = try Self.prepare("SELECT id, head FROM entry WHERE uri = ? AND partition = x''", handle)
        pieces = try Self.prepare("SELECT bytes FROM piece WHERE entry = ? ORDER BY number", handle)
    }

    deinit {
        for statement in [head, pieces] { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    /// The bytes of the head and of the body.
    func read(uri: String) throws -> (head: Data, body: Data) {
        defer { sqlite3_reset(head) }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_blob(head, 1, uri, Int32(uri.utf8.count), transient)
        guard sqlite3_step(head) == SQLITE_ROW else { throw WrongBody(store: uri) }
        let bytes = Self.data(head, 1)
        sqlite3_bind_int64(pieces, 1, sqlite3_column_int64(head, 0))
        defer { sqlite3_reset(pieces) }
        guard sqlite3_step(pieces) == SQLITE_ROW else { throw WrongBody(store: uri) }
        var body = Self.data(pieces, 0)
        while sqlite3_step(pieces) == SQLITE_ROW { body.append(Self.data(pieces, 0)) }
        return (bytes, body)
    }

    private static func data(_ statement: OpaquePointer, _ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }

    private static func prepare(_ sql: String, _ database: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw WrongBody(store: sql)
        }
        return statement
    }
}

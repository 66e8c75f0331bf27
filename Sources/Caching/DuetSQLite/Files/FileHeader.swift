import Foundation
import GRDB
import GRDBSQLite

/// The beginning of a file, by which a database is recognized even if it is damaged.
struct FileHeader {
    /// Whether it is a file, and not a folder, a pipe, or a device.
    let isRegular: Bool
    /// The number of bytes of the file.
    let size: Int
    private var bytes = [UInt8](repeating: 0, count: 100)

    /// Reads the header; nil without a file, or if the file is empty.
    ///
    /// SQLite opens the file. A process that opens and closes it itself would lose the locks of its connections.
    init?(path: String) throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        isRegular = attributes[.type] as? FileAttributeType == .typeRegular
        size = attributes[.size] as? Int ?? 0
        guard isRegular else { return }
        guard size > 0 else { return nil }
        var connection: OpaquePointer?
        var file: UnsafeMutablePointer<sqlite3_file>?
        defer { _ = unsafe sqlite3_close(connection) }
        guard unsafe sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            unsafe sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let methods = unsafe file?.pointee.pMethods
        else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
        // SQLite adds zeros to a shorter file.
        _ = unsafe methods.pointee.xRead(file, &bytes, 100, 0)
    }

    var isDatabase: Bool { bytes.starts(with: "SQLite format 3\u{0}".utf8) && bytes[21..<24] == [64, 32, 32] }
    var application: Int { number(at: 68) }
    var version: Int { number(at: 60) }
    /// The number of bytes of all pages of the database.
    var expectedSize: Int { (Int(bytes[16]) << 8 | Int(bytes[17])) * number(at: 28) }

    private func number(at offset: Int) -> Int {
        Int(Int32(truncatingIfNeeded: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }))
    }
}

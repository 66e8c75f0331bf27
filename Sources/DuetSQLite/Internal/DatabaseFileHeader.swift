import Foundation
import GRDBSQLite

/// The first bytes of an SQLite file, as they are there: to ask for what they say would change a file that is not ours.
///
/// See "The Database Header" in SQLite's description of its file format.
struct DatabaseFileHeader {
    /// What a program says that the file is for.
    let application: Int32

    /// The format that a program says its tables have.
    let version: Int32

    /// Whether there are no tables yet, as far as the file itself says.
    let isEmpty: Bool

    /// Reads a header; nil where there is none.
    init?(_ bytes: Data) {
        let bytes = Array(bytes)
        func number(at offset: Int, count: Int) -> UInt32 {
            bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard bytes.count >= 100, bytes.starts(with: "SQLite format 3\0".utf8) else { return nil }
        // A page of 65,536 bytes does not fit into the two.
        let pageSize = number(at: 16, count: 2)
        guard pageSize == 1 || pageSize >= 512 && pageSize.nonzeroBitCount == 1 else { return nil }
        version = Int32(bitPattern: number(at: 60, count: 4))
        let (pages, freePages) = (number(at: 28, count: 4), number(at: 36, count: 4))
        isEmpty = pages > freePages && pages - freePages == 1
        application = Int32(bitPattern: number(at: 68, count: 4))
    }

    /// The first bytes of a file, whatever they are; nil when it is empty or cannot be read.
    ///
    /// Read by SQLite's own file, without a lock: whoever else closes a file lets go of the locks that SQLite has on it in this
    /// process ("How To Corrupt An SQLite Database File", section 2.2).
    static func bytes(at path: String) -> Data? {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        guard unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard unsafe sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file = unsafe file, let methods = unsafe file.pointee.pMethods?.pointee
        else { return nil }
        var size: sqlite3_int64 = 0
        guard unsafe methods.xFileSize(file, &size) == SQLITE_OK, size > 0 else { return nil }
        var bytes = Data(count: Int(min(size, 100)))
        let result = unsafe bytes.withUnsafeMutableBytes {
            unsafe methods.xRead(file, $0.baseAddress, Int32($0.count), 0)
        }
        return result == SQLITE_OK ? bytes : nil
    }
}

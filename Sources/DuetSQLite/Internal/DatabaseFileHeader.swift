import Foundation

/// The first bytes of an SQLite file, read without SQLite, which would change a file that is not ours.
///
/// See "The Database Header" in SQLite's description of its file format.
struct DatabaseFileHeader {
    /// What a program says that the file is for.
    let application: Int32

    /// The format that a program says its tables have.
    let version: Int32

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
        application = Int32(bitPattern: number(at: 68, count: 4))
    }
}

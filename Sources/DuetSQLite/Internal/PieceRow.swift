import Foundation

/// The row of a part of a body.
struct PieceRow: Sendable {
    let row: Int64
    /// How long the whole body is.
    let length: Int64
    let checksum: Int64
    let bytes: Data

    /// That of the bytes in this row, and in no other.
    static func checksum(_ bytes: Data, in row: Int64) -> Int64 {
        bytes.checksum ^ row &* 0x1E37_79B9_7F4A_7C15
    }

    /// Why these cannot be the bytes that were stored; nil when they are.
    func damage(expecting count: Int64) -> String? {
        guard bytes.count == count else { return "has \(bytes.count) bytes instead of \(count)" }
        return bytes.isEmpty || Self.checksum(bytes, in: row) == checksum ? nil : "has other bytes than were stored"
    }
}

import Foundation

/// The row of a part of a body.
struct PieceRow: Sendable {
    /// How long the whole body is.
    let length: Int64
    let checksum: Int64
    let bytes: Data

    /// Why these cannot be the bytes that were stored; nil when they are.
    func damage(expecting count: Int64) -> String? {
        guard bytes.count == count else { return "has \(bytes.count) bytes instead of \(count)" }
        return bytes.isEmpty || bytes.checksum == checksum ? nil : "has other bytes than were stored"
    }
}

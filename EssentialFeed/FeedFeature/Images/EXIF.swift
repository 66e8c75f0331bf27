import Foundation

/// The first directory of a block of EXIF, which has the form of a TIFF file (EXIF 2.32, section 4.6.2).
///
/// Of a damaged block, only the entries before the fault count.
struct EXIF {
    /// The orientation, if the image must be turned or mirrored to be upright; nil otherwise.
    private(set) var orientation: UInt8?

    private(set) var hasLocation = false

    /// Whether a second directory follows, which is that of a preview.
    private(set) var hasPreview = false

    init(_ block: Data) {
        guard let order = Self.order(of: block) else { return }
        var reader = ByteReader(block)
        try? read(&reader, order)
    }

    private static func order(of block: Data) -> ByteReader.Order? {
        if block.starts(with: [0x4D, 0x4D, 0, 42]) { return .bigEndian }
        if block.starts(with: [0x49, 0x49, 42, 0]) { return .littleEndian }
        return nil
    }

    private mutating func read(_ reader: inout ByteReader, _ order: ByteReader.Order) throws(InvalidImage) {
        try reader.read(4)
        try reader.read(try reader.number(ofBytes: 4, order) - 8)
        for _ in 0..<(try reader.number(ofBytes: 2, order)) {
            let tag = try reader.number(ofBytes: 2, order)
            let type = try reader.number(ofBytes: 2, order)
            let count = try reader.number(ofBytes: 4, order)
            let value = try reader.number(ofBytes: 2, order)
            try reader.read(2)
            switch (tag, type, count) {
            case (0x0112, 3, 1): orientation = (2...8).contains(value) ? UInt8(value) : nil
            case (0x8825, _, _): hasLocation = true
            default: break
            }
        }
        hasPreview = try reader.number(ofBytes: 4, order) > 0
    }

    static func block(orientation: UInt8) -> [UInt8] {
        [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // Big-endian, and the place of the directory
            0, 1,  // One entry: the tag, the type, the number of values, and the value
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0,
            0, 0, 0, 0,  // No second directory
        ]
    }
}

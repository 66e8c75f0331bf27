/// Builds blocks of EXIF.
public enum EXIFBytes {
    /// Returns a block as a camera writes it: an owner, and what a test needs.
    ///
    /// - Parameter hasPreview: Whether a second directory follows.
    public static func block(
        orientation: Int? = nil,
        hasLocation: Bool = false,
        hasPreview: Bool = false,
        isLittleEndian: Bool = false
    ) -> [UInt8] {
        func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            isLittleEndian ? number.bytes.reversed() : number.bytes
        }
        func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
            number(tag) + number(type) + number(count) + value
        }
        // The owner, whose three letters and the end are within the entry.
        var entries = [entry(0x013B, 2, 4, Array("Ann\0".utf8))]
        if let orientation { entries.append(entry(0x0112, 3, 1, number(UInt16(orientation)) + [0, 0])) }
        if hasLocation { entries.append(entry(0x8825, 4, 1, number(UInt32(8)))) }
        let start: [UInt8] = isLittleEndian ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
        return start + number(UInt16(entries.count)) + entries.joined() + number(UInt32(hasPreview ? 8 : 0))
    }

    /// Returns the block that has only an orientation.
    public static func orientation(_ orientation: UInt8) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }
}

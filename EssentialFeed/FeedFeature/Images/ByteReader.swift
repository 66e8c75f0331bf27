package import Foundation

/// Reads foreign bytes in order, and never beyond their end.
struct ByteReader {
    /// The order of the bytes of a number.
    enum Order {
        case bigEndian, littleEndian
    }

    let bytes: Data
    let end: Int
    private(set) var position: Int

    init(_ bytes: Data, in range: Range<Int>? = nil) {
        self.bytes = bytes
        position = range?.lowerBound ?? bytes.startIndex
        end = range?.upperBound ?? bytes.endIndex
    }

    var remaining: Int { end - position }

    /// Reads one byte.
    ///
    /// - Throws: `InvalidImage.incomplete` at the end.
    mutating func byte() throws(InvalidImage) -> UInt8 {
        guard position < end else { throw .incomplete }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads `count` bytes, and returns their range.
    ///
    /// - Throws: `InvalidImage.incomplete` when there are not as many.
    @discardableResult
    mutating func read(_ count: Int) throws(InvalidImage) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw .incomplete }
        defer { position += count }
        return position..<position + count
    }

    /// Reads a number without a sign of one to four bytes.
    ///
    /// - Throws: `InvalidImage.incomplete` when there are fewer bytes.
    mutating func number(ofBytes count: Int, _ order: Order) throws(InvalidImage) -> Int {
        let range = try read(count)
        return switch order {
        case .bigEndian: range.reduce(0) { $0 << 8 | Int(bytes[$1]) }
        case .littleEndian: range.reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
        }
    }

    /// Reads two numbers, such as a width and a height.
    mutating func pair(ofBytes count: Int, _ order: Order) throws(InvalidImage) -> (Int, Int) {
        (try number(ofBytes: count, order), try number(ofBytes: count, order))
    }

    /// Reads four bytes as the ASCII name of a chunk.
    ///
    /// - Throws: `InvalidImage.incomplete` when there are fewer.
    mutating func name() throws(InvalidImage) -> ChunkName {
        ChunkName(try number(ofBytes: 4, .bigEndian))
    }

    /// Moves to the next occurrence of bytes, or to the end.
    mutating func skip(to bytes: [UInt8]) {
        position = self.bytes[position..<end].firstIndex(of: bytes) ?? end
    }
}

/// The name of a chunk of four bytes, as a number, because foreign bytes are not a text.
struct ChunkName: Hashable, ExpressibleByStringLiteral {
    let value: Int

    init(_ value: Int) {
        self.value = value
    }

    init(stringLiteral name: String) {
        value = name.utf8.reduce(0) { $0 << 8 | Int($1) }
    }

    var isLetters: Bool {
        bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    var bytes: [UInt8] { UInt32(truncatingIfNeeded: value).bigEndianBytes }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}

extension Data {
    func begins(with text: String) -> Bool {
        starts(with: text.utf8)
    }

    func contains(_ text: String) -> Bool {
        firstIndex(of: Array(text.utf8)) != nil
    }

    /// Returns the index of the first occurrence of one or more bytes.
    ///
    /// Foundation's `range(of:)` creates a slice at each index, which takes a second for a large file.
    package func firstIndex(of bytes: [UInt8]) -> Index? {
        unsafe withUnsafeBytes { all in
            guard let base = all.baseAddress, let first = bytes.first else { return nil }
            var offset = 0
            while all.count - offset >= bytes.count,
                let found = unsafe memchr(base + offset, CInt(first), all.count - offset - bytes.count + 1)
            {
                offset = unsafe base.distance(to: found)
                if unsafe memcmp(found, bytes, bytes.count) == 0 { return startIndex + offset }
                offset += 1
            }
            return nil
        }
    }
}

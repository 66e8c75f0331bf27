/// The check of text from outside that comes before anything compares it.
///
/// Swift compares and hashes strings by canonical equivalence, for which it sorts each run of combining characters. The
/// time grows with the square of the run's length: 128 KB take seconds. The Stream-Safe Text Format (Unicode Standard
/// Annex #15, section 13) allows 30 in a row, more than any language uses.
package enum ForeignText {
    /// The largest number of combining characters in a row.
    package static let markLimit = 30

    /// The end of a sentence about a text with more.
    package static let markReason = "must not have more than \(markLimit) combining characters in a row"

    /// Whether a text has more combining characters in a row than ``markLimit``.
    ///
    /// Invalid UTF-8 counts as the replacement characters that it becomes in a string.
    package static func hasLongRun(_ utf8: some Collection<UInt8>) -> Bool {
        utf8.withContiguousStorageIfAvailable { unsafe MarkScan($0, isJSON: false).findsLongRun() }
            ?? hasLongRun(Array(utf8))
    }

    /// Why a JSON document must not be decoded, as the end of a sentence about it; nil for a safe one.
    ///
    /// A text must not have more combining characters in a row than ``markLimit``, escaped or not. The document must be
    /// UTF-8 (RFC 8259, section 8.1), because decoders also read other encodings, in which these characters are hidden.
    package static func fault(inJSON json: some Collection<UInt8>) -> String? {
        // A document begins with an ASCII character, which in UTF-16 and UTF-32 has bytes that are zero.
        let start = Array(json.prefix(4))
        if start.count > 1, start.contains(0) || start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) {
            return "must be UTF-8"
        }
        return hasLongRun(inJSON: json) ? markReason : nil
    }

    private static func hasLongRun(inJSON json: some Collection<UInt8>) -> Bool {
        json.withContiguousStorageIfAvailable { unsafe MarkScan($0, isJSON: true).findsLongRun() }
            ?? hasLongRun(inJSON: Array(json))
    }
}

@safe
private struct MarkScan: ~Copyable {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isJSON: Bool
    private var index = 0
    private var run = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, isJSON: Bool) {
        unsafe self.bytes = unsafe bytes
        self.isJSON = isJSON
    }

    consuming func findsLongRun() -> Bool {
        while let next = unsafe bytes[index...].firstIndex(where: { $0 >= 0xCC || $0 == UInt8(ascii: "\\") }) {
            // U+0300, the first combining character, begins with 0xCC.
            if next != index { run = 0 }
            index = next
            guard let scalar = scalar() else {
                run = 0
                continue
            }
            run = scalar.isCombining ? run + 1 : 0
            if run > ForeignText.markLimit { return true }
        }
        return false
    }

    /// Reads the character at the index, which advances by at least one; nil if it is not a valid one.
    private mutating func scalar() -> Unicode.Scalar? {
        let first = unsafe bytes[index]
        index += 1
        guard first >= 0x80 else { return isJSON ? escape() : nil }
        let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
        var value = UInt32(first) & (0x3F >> UInt32(count))
        for _ in 0..<count {
            guard unsafe index < bytes.count, case let byte = unsafe bytes[index], byte & 0xC0 == 0x80 else {
                return nil
            }
            value = value << 6 | UInt32(byte & 0x3F)
            index += 1
        }
        return Unicode.Scalar(value)
    }

    /// Reads what follows a backslash in JSON; nil if it is no combining character.
    private mutating func escape() -> Unicode.Scalar? {
        guard unsafe index < bytes.count else { return nil }
        let kind = unsafe bytes[index]
        index += 1
        guard kind == UInt8(ascii: "u"), let unit = hexadecimal() else { return nil }
        guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
        guard unsafe bytes.count - index >= 6, unsafe bytes[index] == UInt8(ascii: "\\"),
            unsafe bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        index += 2
        guard let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexadecimal() -> UInt32? {
        guard unsafe bytes.count - index >= 4 else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            let digit = UInt32(unsafe bytes[index + offset])
            switch digit {
            case 0x30...0x39: value = value << 4 | (digit - 0x30)
            case 0x41...0x46: value = value << 4 | (digit - 0x37)
            case 0x61...0x66: value = value << 4 | (digit - 0x57)
            default: return nil
            }
        }
        index += 4
        return value
    }
}

extension Unicode.Scalar {
    /// Whether the canonical decomposition begins with a combining character.
    fileprivate var isCombining: Bool {
        switch value {
        // Three whose own class is that of a starter (Unicode Character Database, DerivedNormalizationProps).
        case 0x0F73, 0x0F75, 0x0F81: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}

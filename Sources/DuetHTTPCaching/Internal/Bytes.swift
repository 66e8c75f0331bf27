/// What the syntax of header fields is made of (RFC 9110, section 5.6).
enum Bytes {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let equals = UInt8(ascii: "=")
    static let dash = UInt8(ascii: "-")

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Whether a byte may be part of a token, section 5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without the white space around it.
    var trimmed: ArraySlice<UInt8> {
        var slice = drop(while: Bytes.isSpace)
        while let last = slice.last, Bytes.isSpace(last) { slice.removeLast() }
        return slice
    }

    /// The string that a quoted string means (RFC 9110, section 5.6.4), or nil when this is not exactly one.
    var unquoted: [UInt8]? {
        guard count >= 2, first == Bytes.quote else { return nil }
        var result: [UInt8] = []
        var index = startIndex + 1
        while index < endIndex {
            let byte = self[index]
            if byte == Bytes.quote { return index == endIndex - 1 ? result : nil }
            if byte == Bytes.backslash {
                index += 1
                guard index < endIndex else { return nil }
            }
            result.append(self[index])
            index += 1
        }
        return nil
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}

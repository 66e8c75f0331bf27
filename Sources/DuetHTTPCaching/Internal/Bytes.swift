import HTTPTypes

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

    /// Whether it is a character that can be seen (RFC 5234, appendix B.1, VCHAR).
    static func isVisible(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte)
    }

    /// Whether all bytes of a text are such, looked at where they lie: to go through its view takes ten times as long.
    static func all(of text: String, are isMeant: (UInt8) -> Bool) -> Bool {
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy(isMeant) }
            ?? text.utf8.allSatisfy(isMeant)
    }

    /// A text that is equal to another one only when all bytes are, one character for each.
    ///
    /// As UTF-8 they would be equal in two spellings of `é`, and whatever is no UTF-8 would be equal to all the like.
    static func exactText(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// Whether there is U+FFFD, which NIO writes in place of bytes that are no UTF-8: then nobody knows which they were.
    static func isLossy(_ bytes: some Collection<UInt8>) -> Bool {
        // Mostly there is not even its first byte.
        bytes.contains(0xEF) && bytes.contains("\u{FFFD}".utf8)
    }

    /// A URI with `%` and two digits for each byte that none can hold (RFC 3986, section 2.1).
    static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        exactText(
            bytes.flatMap { byte -> [UInt8] in
                isVisible(byte) ? [byte] : [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            }
        )
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    /// Whether a byte may be part of a token, section 5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), dash:
            true
        default:
            "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// Without the white space around it.
    var trimmed: SubSequence {
        var slice = drop(while: Bytes.isSpace)
        while let last = slice.last, Bytes.isSpace(last) { slice = slice.dropLast() }
        return slice
    }
}

extension ArraySlice<UInt8> {
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

extension HTTPField {
    /// The value as it came; as text, bytes that are no UTF-8 would all be the same.
    var bytes: [UInt8] { unsafe withUnsafeBytesOfValue { unsafe Array($0) } }
}

package import HTTPTypes

/// The bytes of header fields and their classes (RFC 9110, section 5.6).
package enum FieldSyntax {
    package static let quote = UInt8(ascii: "\"")
    package static let backslash = UInt8(ascii: "\\")
    package static let comma = UInt8(ascii: ",")
    package static let semicolon = UInt8(ascii: ";")
    package static let equals = UInt8(ascii: "=")
    package static let dash = UInt8(ascii: "-")

    package static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    package static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    package static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Whether a byte is a visible character (RFC 5234, appendix B.1, VCHAR).
    package static func isVisible(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte)
    }

    /// Whether all bytes of a text satisfy a predicate.
    ///
    /// Ten times as fast as iterating over the UTF-8 view.
    package static func all(of text: String, are predicate: (UInt8) -> Bool) -> Bool {
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy(predicate) }
            ?? text.utf8.allSatisfy(predicate)
    }

    /// Whether bytes contain U+FFFD, which NIO writes in place of invalid UTF-8, so that the original bytes are lost.
    package static func isLossy(_ bytes: some Collection<UInt8>) -> Bool {
        // Usually not even its first byte occurs.
        bytes.contains(0xEF) && bytes.contains("\u{FFFD}".utf8)
    }

    /// Bytes as lowercase hexadecimal digits.
    package static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        return unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
            for (index, byte) in bytes.enumerated() {
                unsafe digits[2 * index] = digit(byte >> 4)
                unsafe digits[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    /// Whether a byte can be part of a token (section 5.6.2).
    package static func isToken(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == dash || "!#$%&'*+.^_`|~".utf8.contains(byte)
    }
}

extension BidirectionalCollection<UInt8> {
    /// The slice without surrounding white space.
    package var trimmed: SubSequence {
        var slice = drop(while: FieldSyntax.isSpace)
        while let last = slice.last, FieldSyntax.isSpace(last) { slice = slice.dropLast() }
        return slice
    }
}

extension ArraySlice<UInt8> {
    /// The content of a quoted string (RFC 9110, section 5.6.4), or nil if this is not exactly one.
    package var unquoted: [UInt8]? {
        guard count >= 2, first == FieldSyntax.quote else { return nil }
        var result: [UInt8] = []
        var index = startIndex + 1
        while index < endIndex {
            let byte = self[index]
            if byte == FieldSyntax.quote { return index == endIndex - 1 ? result : nil }
            if byte == FieldSyntax.backslash {
                index += 1
                guard index < endIndex else { return nil }
            }
            result.append(self[index])
            index += 1
        }
        return nil
    }

    package var text: String { String(decoding: self, as: UTF8.self) }
}

extension HTTPField {
    /// The value as it was received.
    ///
    /// As `String`, all invalid UTF-8 would be the same.
    package var bytes: [UInt8] { unsafe withUnsafeBytesOfValue { unsafe Array($0) } }
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Appends a text and encodes everything but unreserved characters (section 2.3).
    ///
    /// In a query that includes `+`, whose meaning differs between servers. In a path, delimiters stay as they are,
    /// because encoding them can change the address (section 2.2), except a semicolon, which begins parameters on some
    /// servers.
    static func append(_ text: String, inPath: Bool = false, to bytes: inout [UInt8]) {
        let staysAsItIs = { (byte: UInt8) in isUnreserved(byte) || inPath && "!$&'()*+,=:@".utf8.contains(byte) }
        // Most texts need no encoding, and copying a whole text is faster than appending its bytes one by one.
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        guard let first = bytes[start...].firstIndex(where: { !staysAsItIs($0) }) else { return }
        bytes.removeSubrange(first...)
        for byte in text.utf8.dropFirst(first - start) {
            if staysAsItIs(byte) {
                bytes.append(byte)
            } else {
                bytes.append(contentsOf: [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)])
            }
        }
    }

    /// A URI in which each byte that is not a visible character is encoded.
    package static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        let escaped = bytes.flatMap { byte in
            FieldSyntax.isVisible(byte) ? [byte] : [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The decoded text, or nil if it is not percent-encoded UTF-8.
    ///
    /// - Parameters:
    ///   - isForm: Whether `+` is a space, as in a query that was written like a form (URL Standard, section 5.1).
    ///   - isDecoded: Whether an encoded byte is decoded.
    static func decode(
        _ text: Substring,
        isForm: Bool = false,
        where isDecoded: (UInt8) -> Bool = { _ in true }
    ) -> String? {
        let plus = UInt8(ascii: "+")
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 >= 0x80 || isForm && $0 == plus }) else {
            return String(text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte < 0x80 else { return nil }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(isForm && byte == plus ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.next().flatMap(value), let low = rest.next().flatMap(value) else { return nil }
            let decoded = high << 4 | low
            if isDecoded(decoded) { bytes.append(decoded) } else { bytes += [byte, digit(high), digit(low)] }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a byte needs no encoding anywhere in a URI (RFC 3986, section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: FieldSyntax.isAlphanumeric(byte)
        }
    }

    /// The uppercase hexadecimal digit of a number below 16.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// The value of a hexadecimal digit; nil for another character.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

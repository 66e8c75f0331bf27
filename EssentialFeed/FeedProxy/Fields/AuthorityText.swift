/// Whether a text is the name of a server: a host and, perhaps, a port (RFC 9110, section 7.2).
///
/// A cache keeps answers under the URL that it forms with the path. What had a slash, a user or a query in it would form the
/// URL of something else. Escapes are for hosts that are not of the Internet, and would give one server two names.
enum AuthorityText {
    static func isServer(_ text: String) -> Bool {
        let bytes = text.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = bytes[..<bracket].dropFirst()
            guard !address.isEmpty, address.allSatisfy({ isHexDigit($0) || $0 == colon || $0 == dot }) else {
                return false
            }
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: colon) ?? bytes.endIndex
            guard end > bytes.startIndex, bytes[..<end].allSatisfy(isOfName) else { return false }
        }
        guard end < bytes.endIndex else { return true }
        let port = bytes[end...].dropFirst()
        return bytes[end] == colon && port.allSatisfy(isDigit)
            && (port.isEmpty || UInt16(String(decoding: port, as: UTF8.self)) != nil)
    }

    private static let colon = UInt8(ascii: ":")
    private static let dot = UInt8(ascii: ".")

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// RFC 3986, section 2: unreserved characters and those that delimit nothing here.
    private static func isOfName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || "-._~!$&'()*+,;=".utf8.contains(byte)
    }
}

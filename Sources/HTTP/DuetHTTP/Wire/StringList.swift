/// Lists of strings in a field (RFC 9651, sections 3.1 and 3.3.3).
package enum StringList {
    /// The longest string and the largest number of strings that are read.
    private static let limit = 128

    /// Reads the lines of a field, without the parameters of its strings.
    ///
    /// - Returns: Nil for a field that is ignored as a whole: it is empty or too long, has a backslash, or is not
    ///   exactly such a list.
    package static func parse(_ lines: [String]) -> [String]? {
        let bytes = Array(lines.joined(separator: ",").utf8)
        let members = FieldList.members(of: bytes, keepsEmpty: true)
        let strings = members.compactMap(string)
        return strings.count == members.count && strings.count <= limit ? strings : nil
    }

    package static func text(of strings: some Sequence<String>) -> String {
        strings.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func string(_ member: ArraySlice<UInt8>) -> String? {
        let parts = FieldList.members(of: Array(member), separator: FieldSyntax.semicolon, keepsEmpty: true)
        guard parts.dropFirst().allSatisfy(isParameter), let string = parts[0].unquoted, string.count <= limit,
            parts[0].allSatisfy({ (0x20...0x7E).contains($0) && $0 != FieldSyntax.backslash })
        else { return nil }
        return String(decoding: string, as: UTF8.self)
    }

    private static func isParameter(_ part: ArraySlice<UInt8>) -> Bool {
        part.first.map { $0 == UInt8(ascii: "*") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } == true
    }
}

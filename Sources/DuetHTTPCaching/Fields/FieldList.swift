/// The members of a comma-separated field (RFC 9110, section 5.6.1).
package enum FieldList {
    /// The members in their order, trimmed; empty ones do not count, and a comma between quotes does not separate.
    ///
    /// A quote that nothing closes is a character like another, so that it hides none of the members behind it.
    package static func members(of value: String) -> [ArraySlice<UInt8>] {
        members(of: Array(value.utf8))
    }

    /// - Parameter keepsEmpty: True for a field that may be no list, where an empty member may mean something.
    package static func members(of bytes: [UInt8], keepsEmpty: Bool = false) -> [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        forEachMember(of: bytes, keepsEmpty: keepsEmpty) { members.append($0) }
        return members
    }

    /// The same, one after the other.
    static func forEachMember(of bytes: [UInt8], keepsEmpty: Bool = false, _ body: (ArraySlice<UInt8>) -> Void) {
        var start = 0
        var index = 0
        var mayQuote = true
        func add(_ range: Range<Int>) {
            let member = bytes[range].trimmed
            if keepsEmpty || !member.isEmpty { body(member) }
        }
        while index < bytes.count {
            if bytes[index] == Bytes.comma {
                add(start..<index)
                start = index + 1
            } else if bytes[index] == Bytes.quote, mayQuote {
                if let end = closingQuote(in: bytes, after: index) { index = end } else { mayQuote = false }
            }
            index += 1
        }
        add(start..<bytes.count)
    }

    private static func closingQuote(in bytes: [UInt8], after quote: Int) -> Int? {
        var index = quote + 1
        while index < bytes.count {
            if bytes[index] == Bytes.quote { return index }
            index += bytes[index] == Bytes.backslash ? 2 : 1
        }
        return nil
    }
}

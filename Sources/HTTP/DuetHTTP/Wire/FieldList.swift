/// The members of comma-separated fields (RFC 9110, section 5.6.1).
package enum FieldList {
    /// The members in order, trimmed and without empty ones.
    ///
    /// Commas in quoted strings do not separate.
    ///
    /// A quote without a closing quote is an ordinary character, so that it does not hide the members after it.
    package static func members(of value: String) -> [ArraySlice<UInt8>] {
        members(of: Array(value.utf8))
    }

    /// The members of a field.
    ///
    /// - Parameter keepsEmpty: Whether empty members count, as in a field that may not be a list.
    package static func members(
        of bytes: [UInt8],
        separator: UInt8 = FieldSyntax.comma,
        keepsEmpty: Bool = false
    ) -> [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        forEachMember(of: bytes, separator: separator, keepsEmpty: keepsEmpty) { members.append($0) }
        return members
    }

    package static func forEachMember(
        of bytes: [UInt8],
        separator: UInt8 = FieldSyntax.comma,
        keepsEmpty: Bool = false,
        _ body: (ArraySlice<UInt8>) -> Void
    ) {
        var start = 0
        var index = 0
        var mayQuote = true
        func add(_ range: Range<Int>) {
            let member = bytes[range].trimmed
            if keepsEmpty || !member.isEmpty { body(member) }
        }
        while index < bytes.count {
            if bytes[index] == separator {
                add(start..<index)
                start = index + 1
            } else if bytes[index] == FieldSyntax.quote, mayQuote {
                if let end = closingQuote(in: bytes, after: index) { index = end } else { mayQuote = false }
            }
            index += 1
        }
        add(start..<bytes.count)
    }

    private static func closingQuote(in bytes: [UInt8], after quote: Int) -> Int? {
        var index = quote + 1
        while index < bytes.count {
            if bytes[index] == FieldSyntax.quote { return index }
            index += bytes[index] == FieldSyntax.backslash ? 2 : 1
        }
        return nil
    }
}

// MARK: Weights

extension FieldList {
    /// The members of content negotiation fields, without parameters, with their weights (RFC 9110, section 12.4.2).
    ///
    /// Members with an invalid weight are ignored.
    package static func weighted(_ fields: [String]) -> [(value: String, weight: Double)] {
        fields.flatMap { members(of: $0) }.compactMap { member in
            let parts = members(of: Array(member), separator: FieldSyntax.semicolon, keepsEmpty: true)
            var weight: Double? = 1
            for part in parts.dropFirst() {
                let name = part.prefix { $0 != FieldSyntax.equals }
                guard name.trimmed.elementsEqual("q".utf8) || name.trimmed.elementsEqual("Q".utf8) else { continue }
                weight = Double(part.dropFirst(name.count + 1).trimmed.text).flatMap { (0...1).contains($0) ? $0 : nil }
            }
            guard let value = parts.first?.text, let weight else { return nil }
            return (value, weight)
        }
    }

    /// The acceptable members in order of preference: by descending weight, without those of weight 0.
    package static func preferences(_ fields: [String]) -> [String] {
        weighted(fields).filter { $0.weight > 0 }.sorted { $0.weight > $1.weight }.map(\.value)
    }
}

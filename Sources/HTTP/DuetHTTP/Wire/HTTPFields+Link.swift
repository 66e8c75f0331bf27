public import HTTPTypes

extension HTTPFields {
    /// The target of the first link with a relation, such as `next`, as it was written; nil without one (RFC 8288).
    public func link(_ relation: String) -> String? {
        for field in self[values: .known("Link")] {
            var scanner = LinkScanner(bytes: Array(field.utf8)[...])
            while let link = scanner.next() {
                if !link.isForeign, link.relations.contains(relation.lowercased()) { return link.target }
            }
        }
        return nil
    }
}

/// Reads the links of a field (RFC 8288, section 3 and appendix B.2).
private struct LinkScanner {
    var bytes: ArraySlice<UInt8>

    struct Link {
        let target: String
        var relations: [String] = []
        /// Whether the link is from another resource.
        var isForeign = false
    }

    mutating func next() -> Link? {
        skip { FieldSyntax.isSpace($0) || $0 == FieldSyntax.comma }
        guard bytes.popFirst() == UInt8(ascii: "<"), let end = bytes.firstIndex(of: UInt8(ascii: ">")) else {
            return nil
        }
        var link = Link(target: bytes[..<end].text)
        bytes = bytes[(end + 1)...]
        var names: Set<String> = []
        while let (name, value) = parameter() {
            // Of several, only the first one counts.
            guard names.insert(name).inserted else { continue }
            if name == "rel" { link.relations = value.lowercased().split(separator: " ").map(String.init) }
            if name == "anchor" { link.isForeign = true }
        }
        return link
    }

    private mutating func parameter() -> (String, String)? {
        skip(FieldSyntax.isSpace)
        guard bytes.first == FieldSyntax.semicolon else { return nil }
        skip { FieldSyntax.isSpace($0) || $0 == FieldSyntax.semicolon }
        let name = take { FieldSyntax.isToken($0) }
        skip(FieldSyntax.isSpace)
        guard bytes.first == FieldSyntax.equals else { return (name.lowercased(), "") }
        bytes.removeFirst()
        skip(FieldSyntax.isSpace)
        return (name.lowercased(), bytes.first == FieldSyntax.quote ? quoted() : take(isUnquoted))
    }

    private mutating func quoted() -> String {
        bytes.removeFirst()
        var text: [UInt8] = []
        while let byte = bytes.popFirst(), byte != FieldSyntax.quote {
            if let byte = byte == FieldSyntax.backslash ? bytes.popFirst() : byte { text.append(byte) }
        }
        return text[...].text
    }

    private func isUnquoted(_ byte: UInt8) -> Bool {
        !FieldSyntax.isSpace(byte) && byte != FieldSyntax.semicolon && byte != FieldSyntax.comma
    }

    private mutating func take(_ isPart: (UInt8) -> Bool) -> String {
        let part = bytes.prefix(while: isPart)
        bytes = bytes.dropFirst(part.count)
        return part.text
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { bytes = bytes.drop(while: isSkipped) }
}

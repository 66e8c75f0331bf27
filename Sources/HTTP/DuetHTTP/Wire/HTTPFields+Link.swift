public import HTTPTypes

extension HTTPFields {
    /// The target of the first link with a relation, such as `next`, as it was written; nil without one (RFC 8288).
    public func link(_ relation: String) -> String? {
        for field in self[values: .known("Link")] {
            var bytes = Array(field.utf8.prefix(16_384))[...]
            // A comma in a target does not separate links.
            while let start = bytes.firstIndex(of: UInt8(ascii: "<")),
                let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
            {
                let target = bytes[(start + 1)..<end].text
                let rest = Array(bytes[(end + 1)...])
                let link = FieldList.members(of: rest, keepsEmpty: true)[0]
                bytes = rest[link.endIndex...]
                var values: [String: String] = [:]
                for parameter in FieldList.members(of: Array(link), separator: FieldSyntax.semicolon) {
                    let name = parameter.prefix { $0 != FieldSyntax.equals }
                    let value = parameter.dropFirst(name.count + 1).trimmed
                    // Of several, only the first one counts.
                    let text = (value.unquoted?[...] ?? value).text
                    values.merge([name.trimmed.text.lowercased(): text]) { first, _ in first }
                }
                let relations = values["rel"]?.lowercased().split(separator: " ").map(String.init)
                // An anchor makes another resource its context.
                if values["anchor"] == nil, relations?.contains(relation.lowercased()) == true { return target }
            }
        }
        return nil
    }
}

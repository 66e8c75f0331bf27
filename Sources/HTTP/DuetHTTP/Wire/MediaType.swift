/// The media type of a `Content-Type` field (RFC 9110, section 8.3.1).
package struct MediaType: Hashable, Sendable {
    /// The type and subtype in lowercase, without parameters.
    package let essence: String

    /// The character encoding in lowercase, or nil without one.
    package let charset: String?

    /// The type as it was written.
    package let text: String

    /// Reads a field.
    ///
    /// Fails for nil, for a field that does not begin with a type and a subtype, and for several types. Of equal ones,
    /// which gateways and servers may both add, the last one counts.
    package init?(_ field: String?) {
        guard let field else { return nil }
        let types = FieldList.members(of: Array(field.utf8), keepsEmpty: true).map { MediaType(member: $0) }
        guard let last = types.last ?? nil, types.allSatisfy({ $0?.essence == last.essence }) else { return nil }
        self = last
    }

    private init?(member: ArraySlice<UInt8>) {
        text = member.text
        let bytes = Array(text.lowercased().utf8)
        let parts = FieldList.members(of: bytes, separator: FieldSyntax.semicolon, keepsEmpty: true)
        let names = parts[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(FieldSyntax.isToken) }) else {
            return nil
        }
        essence = parts[0].text
        charset = parts.dropFirst().first { $0.starts(with: "charset=".utf8) }
            .map { $0.dropFirst("charset=".utf8.count).filter { $0 != FieldSyntax.quote }[...].text }
    }

    /// Whether content is JSON: `application/json` or a type with the suffix `+json` (RFC 6839, section 3.1).
    package var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }

    /// Whether content is JSON in UTF-8, as systems exchange it (RFC 8259, section 8.1).
    package var isJSONInUTF8: Bool { isJSON && (charset ?? "utf-8") == "utf-8" }
}

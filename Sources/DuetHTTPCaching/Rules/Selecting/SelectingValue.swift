import DuetHTTP
import HTTPTypes

/// Normalizes the values of selecting fields, so that equivalent ones are equal (RFC 9111, section 4.1).
enum SelectingValue {
    /// The combined lines, or nil if there are none.
    ///
    /// White space around commas is removed, unless the field is known not to be a list.
    ///
    /// Fields of content negotiation ignore case (RFC 9110, section 12.5). `Accept-Encoding` also ignores the order,
    /// because weights express preferences. For `Accept-Language` the order may matter (section 12.5.4).
    static func normalized(_ name: String, in fields: HTTPFields) -> String? {
        guard let name = HTTPField.Name(name), fields.contains(name) else { return nil }
        guard !single.contains(name) else {
            return FieldSyntax.exactText(fields[fields: name].map(\.bytes).joined(separator: [UInt8(ascii: "\n")]))
        }
        let keepsEmpty = !lists.contains(name)
        var members = fields[fields: name].flatMap { FieldList.members(of: $0.bytes, keepsEmpty: keepsEmpty) }.map(
            Array.init
        )
        if name == .acceptEncoding || name == .acceptLanguage { members = members.map(negotiated) }
        if name == .acceptEncoding { members.sort { $0.lexicographicallyPrecedes($1) } }
        return FieldSyntax.exactText(members.joined(separator: [FieldSyntax.comma]))
    }

    /// Whether a normalized value contains U+FFFD, which may stand for any bytes (see ``FieldSyntax/isLossy(_:)``).
    static func isLossy(_ value: String?) -> Bool {
        // Usually not even its first byte occurs.
        guard let value, value.utf8.contains(0xC3) else { return false }
        return value.utf8.contains(replacement.utf8)
    }

    private static let replacement = FieldSyntax.exactText("\u{FFFD}".utf8)

    /// Request fields that are known to be lists, in which empty members are ignored (RFC 9110, section 5.6.1.2).
    private static let lists: Set<HTTPField.Name> = [
        .accept, .known("Accept-Charset"), .acceptEncoding, .acceptLanguage, .cacheControl, .known("Prefer"),
    ]

    /// Request fields that are known not to be lists, in which white space around a comma may be significant.
    private static let single: Set<HTTPField.Name> = [
        .authorization, .cookie, .known("From"), .known("Host"), .known("Origin"), .proxyAuthorization,
        .known("Referer"), .userAgent,
    ]

    private static func negotiated(_ member: [UInt8]) -> [UInt8] {
        let text = member.filter { !FieldSyntax.isSpace($0) }.map(FieldSyntax.lowercased)
        return text.suffix(4).elementsEqual(";q=1".utf8) ? Array(text.dropLast(4)) : text
    }
}

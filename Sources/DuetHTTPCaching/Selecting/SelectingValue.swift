import DuetHTTP
import HTTPTypes

/// Values of selecting fields, so normalized that two are equal when they are known to mean the same (RFC 9111, section
/// 4.1).
enum SelectingValue {
    /// The lines combined, without white space around commas unless the field is known to be no list; nil when there
    /// are none.
    ///
    /// In the fields of content negotiation letters make no difference (RFC 9110, section 12.5), and in
    /// `Accept-Encoding` neither does the order: preferences are told by weights. In `Accept-Language` some take the
    /// order for one (section 12.5.4).
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
        // Mostly there is not even its first byte.
        guard let value, value.utf8.contains(0xC3) else { return false }
        return value.utf8.contains(replacement.utf8)
    }

    private static let replacement = FieldSyntax.exactText("\u{FFFD}".utf8)

    /// Fields of requests that are known to be lists, in which an empty member means nothing (RFC 9110, section
    /// 5.6.1.2).
    private static let lists: Set<HTTPField.Name> = [
        .accept, .known("Accept-Charset"), .acceptEncoding, .acceptLanguage, .cacheControl, .known("Prefer"),
    ]

    /// Fields of requests that are known to be none, in which white space around a comma may mean something.
    private static let single: Set<HTTPField.Name> = [
        .authorization, .cookie, .known("From"), .known("Host"), .known("Origin"), .proxyAuthorization,
        .known("Referer"), .userAgent,
    ]

    private static func negotiated(_ member: [UInt8]) -> [UInt8] {
        let text = member.filter { !FieldSyntax.isSpace($0) }.map(FieldSyntax.lowercased)
        return text.suffix(4).elementsEqual(";q=1".utf8) ? Array(text.dropLast(4)) : text
    }
}

import Duet
import DuetHTTP
package import HTTPTypes

/// The secondary key: the fields that `Vary` names, with their values in the request (RFC 9111, section 4.1).
package struct SelectingFields: Sendable, Hashable, Codable {
    /// The largest number of fields by which a response may be selected.
    private static let limit = 32

    /// Sorted lowercase names with their normalized values, or nil if the request has no such field.
    package let values: [Selector]
    /// Whether the response matches no request.
    package let isUnmatchable: Bool

    package struct Selector: Sendable, Hashable, Codable {
        package let name: String
        package let value: String?
    }

    package init(_ fields: HTTPFields, of request: HTTPRequest) {
        var names: Set<String> = []
        var isUnmatchable = false
        for field in fields where field.name == .vary {
            for member in FieldList.members(of: field.value) {
                if let name = HTTPField.Name(member.text), name.canonicalName != "*" {
                    names.insert(name.canonicalName)
                } else {
                    // An invalid name might select by any field.
                    isUnmatchable = true
                }
            }
        }
        isUnmatchable = isUnmatchable || names.count > Self.limit
        let values =
            isUnmatchable
            ? []
            : names.sorted().map { Selector(name: $0, value: SelectingValue.normalized($0, in: request.headerFields)) }
        self.isUnmatchable = isUnmatchable || values.contains { SelectingValue.isLossy($0.value) }
        self.values = self.isUnmatchable ? [] : values
    }

    /// Whether a request has equivalent fields.
    package func matches(_ request: HTTPRequest) -> Bool {
        var values = RequestValues(of: request)
        return matches(&values)
    }

    /// Whether a request with cached values has equivalent fields.
    func matches(_ request: inout RequestValues) -> Bool {
        !isUnmatchable
            && values.allSatisfy { selector in
                let value = request.normalized(selector.name)
                return value == selector.value && !SelectingValue.isLossy(value)
            }
    }

    var approximateSize: Int { values.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 2 } }

    /// The fields as one string, which is equal for equal fields; empty without `Vary`.
    ///
    /// The separators do not occur in values.
    package var key: String {
        values.map { selector in selector.value.map { "\(selector.name):\($0)" } ?? selector.name }
            .joined(separator: "\0")
    }
}

/// The selecting fields of a request, each normalized once for all stored responses.
struct RequestValues {
    private let fields: HTTPFields
    private var known: [String: String?] = [:]

    init(of request: HTTPRequest) {
        fields = request.headerFields
    }

    mutating func normalized(_ name: String) -> String? {
        if let value = known[name] { return value }
        let value = SelectingValue.normalized(name, in: fields)
        known.updateValue(value, forKey: name)
        return value
    }
}

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
            return String(exactly: fields[fields: name].map(\.bytes).joined(separator: [UInt8(ascii: "\n")]))
        }
        let keepsEmpty = !lists.contains(name)
        var members = fields[fields: name].flatMap { FieldList.members(of: $0.bytes, keepsEmpty: keepsEmpty) }.map(
            Array.init
        )
        if name == .acceptEncoding || name == .acceptLanguage { members = members.map(negotiated) }
        if name == .acceptEncoding { members.sort { $0.lexicographicallyPrecedes($1) } }
        return String(exactly: members.joined(separator: [FieldSyntax.comma]))
    }

    /// Whether a normalized value contains U+FFFD, which may stand for any bytes (see ``FieldSyntax/isLossy(_:)``).
    static func isLossy(_ value: String?) -> Bool {
        // Most values do not even contain its first byte.
        guard let value, value.utf8.contains(0xC3) else { return false }
        return value.utf8.contains(replacement.utf8)
    }

    private static let replacement = String(exactly: "\u{FFFD}".utf8)

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

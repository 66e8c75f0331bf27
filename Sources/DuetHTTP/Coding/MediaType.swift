/// A media type as `Content-Type` fields have it (RFC 9110, section 8.3.1).
package struct MediaType: Hashable, Sendable {
    /// Type and subtype in lower case, without parameters.
    package let essence: String

    /// The character encoding in lower case; nil when none is named.
    package let charset: String?

    /// Reads a field; nil for none, and for one that does not begin with a type and a subtype.
    package init?(_ field: String?) {
        guard let field else { return nil }
        let parts = Self.parts(of: field.lowercased())
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isTokenByte) }) else {
            return nil
        }
        essence = parts[0]
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
            .filter { $0 != "\"" }
    }

    /// Whether content is JSON: `application/json`, or a type whose name ends with `+json` (RFC 6839, section 3.1).
    package var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }

    /// Whether content is JSON in UTF-8, as systems send it to each other (RFC 8259, section 8.1).
    package var isJSONInUTF8: Bool { isJSON && (charset ?? "utf-8") == "utf-8" }

    /// What stands between the semicolons that are not in quotes, without the spaces around it.
    private static func parts(of field: String) -> [String] {
        var parts = [String.UnicodeScalarView()]
        var isQuoted = false
        var isEscaped = false
        for scalar in field.unicodeScalars {
            if scalar == ";", !isQuoted {
                parts.append(.init())
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && scalar == "\\" && !isEscaped
            parts[parts.count - 1].append(scalar)
        }
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        return parts.map {
            String(String.UnicodeScalarView($0.drop(while: isSpace).reversed().drop(while: isSpace).reversed()))
        }
    }

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }
}

package import HTTPTypes

/// An entity tag (RFC 9110, section 8.8.3).
///
/// Unquoted tags are accepted as weak tags.
package struct EntityTag: Sendable, Hashable {
    /// The field value as it was received and is sent back.
    ///
    /// As `String`, some different values would compare equal.
    package let bytes: [UInt8]

    package let isWeak: Bool

    private let opaque: ArraySlice<UInt8>

    /// Fails for an empty tag, and for one whose bytes were lost in decoding, since others would look the same.
    package init?(_ bytes: some BidirectionalCollection<UInt8>) {
        self.bytes = Array(bytes.trimmed)
        guard !self.bytes.isEmpty, !FieldSyntax.isLossy(self.bytes) else { return nil }
        let isMarkedWeak = self.bytes.starts(with: "W/\"".utf8)
        let tag = self.bytes.dropFirst(isMarkedWeak ? 2 : 0)
        let isQuoted = tag.count >= 2 && tag.first == FieldSyntax.quote && tag.last == FieldSyntax.quote
        isWeak = isMarkedWeak || !isQuoted
        opaque = isQuoted ? tag.dropFirst().dropLast() : tag
    }

    package init?(_ text: String) {
        self.init(text.utf8)
    }

    /// A strong tag with a given opaque part.
    ///
    /// Fails for characters that a tag cannot have.
    package init?(strong opaque: String) {
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) }) else { return nil }
        self.init("\"\(opaque)\"")
    }

    package var strongText: String? { isWeak ? nil : opaque.text }

    package var text: String { bytes[...].text }

    /// A request field with the tag as the server wrote it.
    package func field(_ name: HTTPField.Name) -> HTTPField {
        HTTPField(name: name, value: bytes)
    }

    /// Compares two tags strongly (section 8.8.3.2): they are equal and neither is weak.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Compares two tags weakly (section 8.8.3.2): they are equal except for their strength.
    package func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether the `If-None-Match` fields of a request contain the tag or `*` (RFC 9110, section 13.1.2).
    package func isListed(in fields: [String]) -> Bool {
        fields.flatMap { FieldList.members(of: $0) }
            .contains { $0.elementsEqual("*".utf8) || EntityTag($0).map(matchesWeakly) ?? false }
    }
}

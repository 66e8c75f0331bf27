import HTTPTypes

/// A validator that a server chose (RFC 9110, section 8.8.3).
///
/// Quotes that are missing are no reason to ask again: what both sides spell alike, but for them, is one tag. One with letters
/// that a client could not decode is none, because others look the same.
package struct EntityTag: Sendable, Hashable {
    /// As the server wrote it, and as it is sent back: bytes, because text would take some that differ for the same.
    package let bytes: [UInt8]
    /// Whether it says so, or is not spelt like a strong one.
    package let isWeak: Bool
    /// What is between the quotes.
    private let opaque: ArraySlice<UInt8>

    package init?(_ bytes: some BidirectionalCollection<UInt8>) {
        self.bytes = Array(bytes.trimmed)
        guard !self.bytes.isEmpty, !Bytes.isLossy(self.bytes) else { return nil }
        let saysWeak = self.bytes.starts(with: "W/\"".utf8)
        let tag = self.bytes.dropFirst(saysWeak ? 2 : 0)
        let isQuoted = tag.count >= 2 && tag.first == Bytes.quote && tag.last == Bytes.quote
        isWeak = saysWeak || !isQuoted
        opaque = isQuoted ? tag.dropFirst().dropLast() : tag
    }

    package init?(_ text: String) {
        self.init(text.utf8)
    }

    /// The tag in a request, as the server wrote it.
    func field(_ name: HTTPField.Name) -> HTTPField {
        HTTPField(name: name, value: bytes)
    }

    /// Section 8.8.3.2: equal, and neither is weak.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Section 8.8.3.2: equal, whatever the strength.
    package func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }
}

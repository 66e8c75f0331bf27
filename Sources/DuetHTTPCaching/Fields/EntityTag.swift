/// A validator that a server chose (RFC 9110, section 8.8.3).
///
/// Quotes that are missing are no reason to ask again: what both sides spell alike is one tag.
package struct EntityTag: Sendable, Hashable {
    /// As the server wrote it, and as it is sent back.
    package let text: String
    /// Whether it says so, or is not spelt like a strong one.
    package let isWeak: Bool
    private let opaque: String

    package init?(_ text: String) {
        let trimmed = Array(text.utf8)[...].trimmed
        guard !trimmed.isEmpty else { return nil }
        self.text = trimmed.text
        let saysWeak = trimmed.starts(with: "W/\"".utf8)
        let tag = saysWeak ? trimmed.dropFirst(2) : trimmed
        let isQuoted = tag.count >= 2 && tag.first == Bytes.quote && tag.last == Bytes.quote
        isWeak = saysWeak || !isQuoted
        opaque = (isQuoted ? tag.dropFirst().dropLast() : tag).text
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

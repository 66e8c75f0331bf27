public import Foundation

/// A language of the feed's texts.
public enum Language: String, CaseIterable, Sendable {
    /// English.
    case english = "en"
    /// Greek.
    case greek = "el"
    /// Brazilian Portuguese.
    case brazilianPortuguese = "pt-BR"

    /// Returns the language for a tag such as `el`, `pt` or `en_GB`, or nil if there are no texts in it.
    ///
    /// Only the tag's first part counts, so that readers of European Portuguese get Brazilian Portuguese, not English.
    public init?(tag: String) {
        let primary = Self.primary(of: tag)
        guard let found = Self.allCases.first(where: { Self.primary(of: $0.rawValue) == primary }) else { return nil }
        self = found
    }

    /// The first available language of a list of tags in order of preference, or English.
    public init(preferring tags: [String]) {
        self = tags.lazy.compactMap(Language.init(tag:)).first ?? .english
    }

    /// The language's tag in HTML and HTTP.
    public var tag: String { rawValue }

    /// The locale of dates and numbers.
    public var locale: Locale { Locale(identifier: rawValue) }

    private static func primary(of tag: String) -> String? {
        tag.split { $0 == "-" || $0 == "_" }.first?.lowercased()
    }
}

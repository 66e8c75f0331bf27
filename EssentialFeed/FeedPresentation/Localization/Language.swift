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

    /// Returns the best language for some preferences, or English if none matches.
    ///
    /// The preferences are a tag, or a list of tags with weights as in an `Accept-Language` header (RFC 9110, section
    /// 12.5.4). The greatest weight wins, then the first in the list. A weight of 0 excludes a language.
    public init(preferring preferences: String) {
        var best: (language: Language, weight: Double)?
        for range in preferences.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let tag = parts.first, let language = Language(tag: tag) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .english
    }

    /// The language's tag in HTML and HTTP.
    public var tag: String { rawValue }

    /// The locale of dates and numbers.
    public var locale: Locale { Locale(identifier: rawValue) }

    private static func primary(of tag: String) -> String? {
        tag.split { $0 == "-" || $0 == "_" }.first?.lowercased()
    }
}

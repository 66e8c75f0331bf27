public import Foundation

/// A language that every text of the feed is written in.
public enum Language: String, CaseIterable, Sendable {
    /// English.
    case english = "en"
    /// Greek.
    case greek = "el"
    /// Brazilian Portuguese.
    case brazilianPortuguese = "pt-BR"

    /// The language that a tag such as `el`, `pt` or `en_GB` asks for, or nil when there are no texts in it.
    ///
    /// Only the tag's first part counts, so that somebody who reads another Portuguese gets this one rather than English.
    public init?(tag: String) {
        let primary = Self.primary(of: tag)
        guard let found = Self.allCases.first(where: { Self.primary(of: $0.rawValue) == primary }) else { return nil }
        self = found
    }

    /// The language that fits best, English when none does.
    ///
    /// The preferences are a tag, or a list of tags with weights as an `Accept-Language` header has it (RFC 9110, section
    /// 12.5.4): the greatest weight wins, then the first in the list; a weight of 0 says "not this one".
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

    /// The language's tag, as HTML and HTTP write it.
    public var tag: String { rawValue }

    /// The locale that dates and numbers are written for.
    public var locale: Locale { Locale(identifier: rawValue) }

    private static func primary(of tag: String) -> String? {
        tag.split { $0 == "-" || $0 == "_" }.first?.lowercased()
    }
}

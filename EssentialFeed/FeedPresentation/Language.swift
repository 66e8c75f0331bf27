import Duet
import FeedFeature
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

    /// The language that a POSIX program uses: the first variable with a value among `LC_ALL`, `LC_MESSAGES` and `LANG`
    /// decides, or else English.
    ///
    /// A value is a locale such as `pt_BR.UTF-8`, or `C`. (POSIX.1-2024, base definitions, section 8.2)
    public init(localeVariables variables: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        let tag = locale?.prefix { $0 != "." && $0 != "@" }
        self.init(preferring: tag.map { [String($0)] } ?? [])
    }

    /// The language's tag in HTML and HTTP.
    public var tag: String { rawValue }

    /// The language's own name, which its readers recognize.
    public var name: String {
        switch self {
        case .english: "English"
        case .greek: "Ελληνικά"
        case .brazilianPortuguese: "Português"
        }
    }

    /// The locale of dates and numbers.
    public var locale: Locale { Locale(identifier: rawValue) }

    /// The first part of a tag of at most 35 characters, the most that every reader supports (RFC 5646, section 4.4.1).
    private static func primary(of tag: String) -> String? {
        guard tag.utf8.count <= 35 else { return nil }
        let primary = tag.utf8.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }.first
        return primary.map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
}

extension Language {
    /// The text in this language.
    public subscript(_ text: Text) -> String {
        Texts.table(for: self)[text.rawValue] ?? text.rawValue
    }

    package var keys: Set<String> { Set(Texts.table(for: self).keys) }

    /// Returns a text with a number in place of `%@`.
    public func text(_ text: Text, _ number: Int) -> String {
        self.text(text, number.formatted(.number.locale(locale)))
    }

    /// Returns a text with a value in place of each `%@`.
    package func text(_ text: Text, _ value: String) -> String { self[text].replacing("%@", with: value) }

    /// Returns the title of a search's results; with an empty text, that of a search by conditions only.
    public func searchTitle(_ words: String) -> String {
        words.isEmpty ? self[.searchTitle] : text(.searchTitleWords, words)
    }

    /// Returns a screen's text for an error.
    public func message(for error: any Error) -> String {
        switch error {
        case let failure as RemoteFailure where !failure.isMissing:
            switch failure.kind {
            case .connectivity: self[.connectionError]
            case .invalidData: self[.invalidDataError]
            }
        case is ImageNotFound, is ImageRemoved, is RemoteFailure: self[.notFoundError]
        case let refusal as TooManyComments: text(.commentsTooMany, refusal.seconds)
        case is DuplicateImage: self[.publishDuplicate]
        case is IDReused, is IdempotencyKeyReused: self[.formReused]
        case is CommentRemoved: self[.commentRemoved]
        case is ExposedToken: self[.sessionExposed]
        case let refusal as AuthorizationError:
            switch refusal {
            case .unauthenticated: self[.sessionNeeded]
            case .forbidden: self[.sessionNotPermitted]
            }
        default: self[.unexpectedError]
        }
    }

    /// Returns a date with its time and its time zone, such as "14 November 2023 at 22:13 GMT".
    public func fullText(of date: Date, calendar: Calendar) -> String {
        let style = Date.FormatStyle(
            date: .long,
            time: .shortened,
            locale: locale,
            calendar: calendar,
            timeZone: calendar.timeZone
        )
        return date.formatted(style.timeZone())
    }

    /// Returns the number of comments; nil for none.
    public func commentCountText(_ count: Int?) -> String? {
        guard let count, count > 0 else { return nil }
        return count == 1 ? self[.commentsCountOne] : text(.commentsCount, count)
    }

    /// Returns the age of a date, such as "5 minutes ago"; a future date is "now".
    ///
    /// The age is rounded down, in the largest unit that fits. Months and years have a fixed length, so that a page's
    /// script, which does not have the server's calendar, arrives at the same text.
    public func relativeText(of date: Date, now: Date, calendar: Calendar) -> String {
        let age = now.timeIntervalSince(date)
        guard let unit = ageUnits.first(where: { age >= $0.seconds }) else {
            // Only the named form has a word for "now".
            return Date.AnchoredRelativeFormatStyle(
                anchor: now,
                presentation: .named,
                unitsStyle: .wide,
                locale: locale,
                calendar: calendar
            ).format(now)
        }
        // Only the numeric form can follow "Saved" in every language. It measures calendar units and rounds them, so it
        // gets two dates with a whole number of units in between, from the middle of a month.
        let start = Date(timeIntervalSinceReferenceDate: 14.5 * 86_400)
        let count = Int(min(age / unit.seconds, 10_000))
        let end = calendar.date(byAdding: unit.component, value: count, to: start) ?? start
        return Date.AnchoredRelativeFormatStyle(
            anchor: start,
            allowedFields: [unit.field],
            presentation: .numeric,
            unitsStyle: .wide,
            locale: locale,
            calendar: calendar
        ).format(end)
    }
}

/// The units of ages, from long to short; the script of the pages has the same ones.
private var ageUnits: [(seconds: TimeInterval, component: Calendar.Component, field: Date.RelativeFormatStyle.Field)] {
    [
        (31_536_000, .year, .year),
        // A twelfth of 365.25 days.
        (2_629_800, .month, .month),
        (604_800, .weekOfYear, .week), (86_400, .day, .day),
        (3_600, .hour, .hour), (60, .minute, .minute), (1, .second, .second),
    ]
}

/// The tables of texts, one for each language.
///
/// They are `.strings` files that are embedded in the code. A program that is moved therefore keeps its languages, and
/// `pt-BR` has the same name on every platform.
private enum Texts {
    private static let english = table(PackageResources.en_strings)
    private static let greek = table(PackageResources.el_strings)
    private static let brazilianPortuguese = table(PackageResources.pt_BR_strings)

    static func table(for language: Language) -> [String: String] {
        switch language {
        case .english: english
        case .greek: greek
        case .brazilianPortuguese: brazilianPortuguese
        }
    }

    private static func table(_ strings: [UInt8]) -> [String: String] {
        // Unsafe only because the format can be returned through a pointer, which is nil here.
        let table = try? unsafe PropertyListSerialization.propertyList(from: Data(strings), format: nil)
        return table as? [String: String] ?? [:]
    }
}

import FeedFeature
public import Foundation

extension Language {
    /// The text in this language.
    public subscript(_ text: Text) -> String {
        Texts.table(for: self)[text.rawValue] ?? text.rawValue
    }

    /// The keys of all texts that there are in this language.
    package var keys: Set<String> { Set(Texts.table(for: self).keys) }

    /// What a screen says of an error.
    public func message(for error: any Error) -> String {
        switch error {
        case let failure as RemoteFailure:
            switch failure.kind {
            case .connectivity: self[.connectionError]
            case .invalidData: self[.invalidDataError]
            }
        case is ImageNotFound: self[.notFoundError]
        default: self[.unexpectedError]
        }
    }

    /// How long ago a date was, such as "5 minutes ago"; a date that is still to come is "now".
    public func relativeText(of date: Date, now: Date, calendar: Calendar) -> String {
        let isNow = now.timeIntervalSince(date) < 1
        let style = Date.AnchoredRelativeFormatStyle(
            anchor: isNow ? now : date,
            // Only the named form has a word for "now"; the numeric one can follow "Saved" in every language.
            presentation: isNow ? .named : .numeric,
            unitsStyle: .wide,
            locale: locale,
            calendar: calendar
        )
        return style.format(now)
    }
}

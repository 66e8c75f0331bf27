import FeedFeature

/// A fault of a form's field, as a screen shows it beside the field.
public enum FieldFault: Hashable, Sendable {
    /// Nothing visible was entered.
    case required

    /// The text has more characters than the limit.
    case tooLong(limit: Int)

    /// The text contains characters that cannot be stored.
    case invalid

    /// Finds the fault of a text that a command's validation or the server objected to.
    public init(in text: String, limit: Int) {
        if !text.isVisible {
            self = .required
        } else if text.unicodeScalars.count > limit {
            self = .tooLong(limit: limit)
        } else {
            self = .invalid
        }
    }

    /// Returns the advice in a language.
    public func text(in language: Language) -> String {
        switch self {
        case .required: language[.fieldRequired]
        case .tooLong(let limit): language.text(.fieldTooLong, limit)
        case .invalid: language[.fieldInvalid]
        }
    }
}

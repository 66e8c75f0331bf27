/// Why a message cannot be written as a request, or a request not be read as a message.
@nonexhaustive
public enum HTTPMessageError: Error, Hashable, Sendable {
    /// The message's type does not say how it looks over HTTP.
    case notAnHTTPMessage(message: String)

    /// The message is not in the list that the dispatcher was told to keep to.
    case notInAPI(message: String)

    /// The message is a ``ForeignQuery``, which nobody answers here.
    case notServed(message: String)

    /// A property of the message holds what cannot be sent.
    case unsendable(message: String, property: String, reason: String)

    /// A parameter, or a place in the body, holds what it must not, or is missing.
    case invalid(field: String, reason: String)

    /// The body is not of a media type that the message is read from.
    case unsupportedMediaType(expected: [String])
}

extension HTTPMessageError: CustomStringConvertible {
    /// What failed and what to do about it.
    public var description: String {
        switch self {
        case .notAnHTTPMessage(let message):
            "\(message) does not say how it looks over HTTP. Conform it to HTTPCommand or HTTPQuery."
        case .notInAPI(let message):
            "\(message) is not in the API that this dispatcher keeps to. Add it to the list."
        case .notServed(let message):
            "\(message) is a ForeignQuery, which nobody answers here. Make it an HTTPQuery with payload(from:answering:)."
        case .unsendable(let message, let property, let reason):
            "\(message) cannot be sent: \(property) \(reason)."
        case .invalid(let field, let reason):
            "\(field) \(reason)."
        case .unsupportedMediaType(let expected):
            "The body must be sent as \(expected.joined(separator: " or "))."
        }
    }
}

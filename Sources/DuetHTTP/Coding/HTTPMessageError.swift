/// A reason why a message cannot be written as a request or read from one.
@nonexhaustive
public enum HTTPMessageError: Error, Hashable, Sendable {
    /// The message's type is neither an ``HTTPCommand`` nor an ``HTTPQuery``.
    case notAnHTTPMessage(message: String)

    /// The message is not in the API of the dispatcher.
    case notInAPI(message: String)

    /// The message is a ``ForeignQuery``, which can be sent but not served.
    case notServed(message: String)

    /// A property of the message has a value that cannot be sent.
    case unsendable(message: String, property: String, reason: String)

    /// A parameter or a member of the body is invalid or missing.
    case invalid(field: String, reason: String)

    /// The media type of the body is not supported.
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
            """
            \(message) is a ForeignQuery, which cannot be served. Make it an HTTPQuery with payload(from:answering:).
            """
        case .unsendable(let message, let property, let reason):
            "\(message) cannot be sent: \(property) \(reason)."
        case .invalid(let field, let reason):
            "\(field) \(reason)."
        case .unsupportedMediaType(let expected):
            "The body must be sent as \(expected.joined(separator: " or "))."
        }
    }
}

import Duet
import DuetContext
package import Foundation

/// A reason why a message cannot be written as a request or read from one.
@nonexhaustive
public enum HTTPMessageError: Error, Hashable {
    /// The message's type is neither an ``HTTPCommand`` nor an ``HTTPQuery``.
    case notAnHTTPMessage(message: String)

    /// The message is a ``ThirdPartyQuery``, which can be sent but not served.
    case notServed(message: String)

    /// A property of the message has a value that cannot be sent.
    case unsendable(message: String, property: String, reason: String)

    /// A parameter or a member of the body is invalid or missing.
    case invalid(field: String, reason: String)

    /// The media type of the body is not supported.
    case unsupportedMediaType(expected: [String])
}

extension HTTPMessageError: DescribedError {
    /// The failure and its remedy.
    public var description: String {
        switch self {
        case .notAnHTTPMessage(let message):
            "\(message) is not an HTTP message. Conform it to HTTPCommand or HTTPQuery."
        case .notServed(let message):
            """
            \(message) is a ThirdPartyQuery, which cannot be served. Make it an HTTPQuery with payload(from:answering:).
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

extension HTTPMessageError {
    /// Describes invalid JSON by the path to the fault, such as `items[3].image`.
    ///
    /// - Parameter data: The document, to describe it if it is not JSON at all.
    package init(_ error: DecodingError, in data: Data? = nil) {
        guard !error.isOfTheParser else {
            self = .invalid(field: "body", reason: data.map { InvalidJSON.reason(of: $0) } ?? "is not JSON")
            return
        }
        let (field, reason) = error.fault
        self = .invalid(field: field, reason: reason.asClause)
    }
}

extension HTTPMessageError {
    /// Describes the property of a message that JSON cannot hold.
    init(_ error: EncodingError, message: String) {
        guard case .invalidValue(let value, let context) = error else {
            self = .unsendable(message: message, property: "it", reason: "cannot be written: \("\(error)".loggable)")
            return
        }
        let field = context.codingPath.isEmpty ? "it" : context.codingPath.fieldName
        let reason = value is any BinaryFloatingPoint ? "must be a finite number" : context.debugDescription.loggable
        self = .unsendable(message: message, property: field, reason: reason)
    }
}

extension StringProtocol {
    /// Third-party text for a message to a person: quoted, at most 64 characters, without control characters.
    var quoted: String { "“\(safe(upTo: 64))”" }

    /// A third-party sentence as part of another sentence: at most 200 characters, without control characters.
    var loggable: String { safe(upTo: 200).asClause }

    /// The text as a sentence: with a period at its end.
    var asSentence: String { hasSuffix(".") ? String(self) : "\(self)." }

    /// The text as a part of a sentence: without a period at its end.
    var asClause: String { String(hasSuffix(".") ? dropLast() : self[...]) }
}

import Duet
package import Foundation

/// A reason why a message cannot be written as a request or read from one.
@nonexhaustive
public enum HTTPMessageError: Error, Hashable, Sendable {
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

extension HTTPMessageError: CustomStringConvertible {
    /// What failed and what to do about it.
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
    /// - Parameters:
    ///   - error: The error.
    ///   - data: The document, to describe it if it is not JSON at all.
    package init(_ error: DecodingError, in data: Data? = nil) {
        switch error {
        case .keyNotFound(let key, let context):
            self = .invalid(field: (context.codingPath + [key]).fieldName, reason: "is missing")
        case .valueNotFound(_, let context):
            self = .invalid(field: context.codingPath.fieldName, reason: "must not be null")
        case .typeMismatch(let type, let context):
            self = .invalid(
                field: context.codingPath.fieldName,
                reason: wireName(of: type).map { "must be \($0)" } ?? "is not valid"
            )
        case .dataCorrupted where error.isOfTheParser:
            self = .invalid(field: "body", reason: data.map { InvalidJSON.reason(of: $0) } ?? "is not JSON")
        case .dataCorrupted(let context):
            // Foundation's reasons name types of the program, which a sender should not see.
            self = .invalid(
                field: context.codingPath.fieldName,
                reason: error.hasWireReason ? context.debugDescription.loggable : "is not valid"
            )
        @unknown default:
            self = .invalid(field: "body", reason: "cannot be read")
        }
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

extension DecodingError {
    /// Whether the document itself is not valid JSON, as far as Foundation reports it.
    var isOfTheParser: Bool {
        guard case .dataCorrupted(let context) = self, context.codingPath.isEmpty else { return false }
        return context.underlyingError != nil || context.debugDescription.hasPrefix("The given data was not valid JSON")
    }

    /// Whether a second reading, value by value, may find the place of the fault and the expected form.
    var isVague: Bool {
        guard case .dataCorrupted = self else { return false }
        return isOfTheParser || !hasWireReason
    }

    /// Whether the reason is written for a sender.
    ///
    /// Those of this module continue a sentence; Foundation's begin one.
    var hasWireReason: Bool {
        guard case .dataCorrupted(let context) = self else { return false }
        return ["must ", "is ", "has "].contains { context.debugDescription.hasPrefix($0) }
    }
}

/// The JSON form of a type, or nil for types that only the program knows.
private func wireName(of type: any Any.Type) -> String? {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type, is Decimal.Type: "a number"
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    default: nil
    }
}

extension [any CodingKey] {
    /// The place in the document, such as `items[3].image`.
    fileprivate var fieldName: String {
        guard !isEmpty else { return "body" }
        return reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.loggable
            }
        }.safe(upTo: 1_000)
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

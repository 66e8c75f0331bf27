import Duet
import Foundation

extension DecodingError {
    /// The place of the fault, such as `items[3].image`, and what is wrong there, in words for the sender.
    package var fault: (field: String, reason: String) {
        switch self {
        case .keyNotFound(let key, let context): ((context.codingPath + [key]).fieldName, "is missing")
        case .valueNotFound(_, let context): (context.codingPath.fieldName, "must not be null")
        case .typeMismatch(let type, let context):
            (context.codingPath.fieldName, wireName(of: type).map { "must be \($0)" } ?? "is not valid")
        case .dataCorrupted where isOfTheParser: ("body", "is not JSON")
        // Foundation's reasons name types of the program, which a sender should not see.
        case .dataCorrupted(let context):
            (context.codingPath.fieldName, hasWireReason ? context.debugDescription.safe(upTo: 200) : "is not valid")
        @unknown default: ("body", "cannot be read")
        }
    }

    /// Whether the document itself is not valid JSON, as far as Foundation reports it.
    package var isOfTheParser: Bool {
        guard case .dataCorrupted(let context) = self, context.codingPath.isEmpty else { return false }
        return context.underlyingError != nil || context.debugDescription.hasPrefix("The given data was not valid JSON")
    }

    /// Whether a second reading, value by value, may find the place of the fault and the expected form.
    package var isVague: Bool {
        guard case .dataCorrupted = self else { return false }
        return isOfTheParser || !hasWireReason
    }

    /// Whether the reason is written for a sender.
    ///
    /// Those of Duet continue a sentence; Foundation's begin one.
    package var hasWireReason: Bool {
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
    package var fieldName: String {
        guard !isEmpty else { return "body" }
        return reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.safe(upTo: 200)
            }
        }.safe(upTo: 1_000)
    }
}

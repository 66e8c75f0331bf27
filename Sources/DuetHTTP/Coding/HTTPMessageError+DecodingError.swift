import Foundation

extension HTTPMessageError {
    /// Says where JSON is not what it should be, by the path to the fault: `items[3].image`.
    package init(_ error: DecodingError) {
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
        case .dataCorrupted(let context) where error.isOfTheParser:
            let cause = context.underlyingError.map { $0 as NSError }?.userInfo["NSDebugDescription"] as? String
            self = .invalid(field: "body", reason: "is not JSON\(cause.map { ": \($0.loggable)" } ?? "")")
        case .dataCorrupted(let context):
            // Foundation's reasons name types of the program, which are none of a sender's affair.
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
    /// Says which property of a message JSON cannot hold.
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
    /// Whether it is the document that is at fault, as far as Foundation says, and not what a type makes of it.
    var isOfTheParser: Bool {
        guard case .dataCorrupted(let context) = self, context.codingPath.isEmpty else { return false }
        return context.underlyingError != nil || context.debugDescription.hasPrefix("The given data was not valid JSON")
    }

    /// Whether reading once more, value by value, may show where the fault is and what is expected there.
    var isVague: Bool {
        guard case .dataCorrupted = self else { return false }
        return isOfTheParser || !hasWireReason
    }

    /// Whether the reason is in the words of the wire: ours begin in the middle of a sentence, Foundation's with one of their own.
    var hasWireReason: Bool {
        guard case .dataCorrupted(let context) = self else { return false }
        return ["must ", "is ", "has "].contains { context.debugDescription.hasPrefix($0) }
    }
}

/// What a JSON value must be; nil for a type that only the program knows.
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
    /// The place in the document, as `items[3].image`.
    fileprivate var fieldName: String {
        guard !isEmpty else { return "body" }
        return reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue.loggable
            }
        }
    }
}

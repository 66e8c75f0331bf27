import FeedFeature
import Foundation

extension InvalidMessage {
    /// Says where JSON is not what it should be, by the path to the fault: `items[3].image`.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(field: (context.codingPath + [key]).fieldName, reason: "is missing")
        case .valueNotFound(_, let context):
            self.init(field: context.codingPath.fieldName, reason: "must not be null")
        case .typeMismatch(let type, let context):
            self.init(field: context.codingPath.fieldName, reason: "must be \(jsonName(of: type))")
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            let cause = context.underlyingError.map { $0 as NSError }?.userInfo["NSDebugDescription"] as? String
            self.init(field: "body", reason: "is not JSON: \(cause ?? context.debugDescription)".withoutFullStop)
        case .dataCorrupted(let context):
            self.init(field: context.codingPath.fieldName, reason: context.debugDescription.withoutFullStop)
        @unknown default:
            self.init(field: "body", reason: "cannot be read: \(error)")
        }
    }
}

private func jsonName(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    default: "of the type \(type)"
    }
}

extension [any CodingKey] {
    fileprivate var fieldName: String {
        isEmpty
            ? "body"
            : reduce(into: "") { path, key in
                if let index = key.intValue {
                    path += "[\(index)]"
                } else {
                    path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
                }
            }
    }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

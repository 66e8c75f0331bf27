import FeedFeature
import Foundation
import HTTPTypes

/// What the server's answers have in common: how a refusal and a fault in a body become a failure with a reason.
enum Answer {
    /// RFC 9457: what went wrong, for a person.
    private struct Problem: Decodable {
        let detail: String?
    }

    /// - Throws: A failure that names the status, and the server's reason when it gives one.
    static func check(_ response: HTTPResponse, _ data: Data, statuses: ClosedRange<Int>) throws {
        let status = response.status.code
        guard !statuses.contains(status) else { return }
        let expected = statuses.count == 1 ? "\(statuses.lowerBound)" : "one of \(statuses)"
        let detail = detail(response, data).map { ": \($0)" } ?? ""
        throw RemoteFailure.invalidData("its status is \(status), not \(expected)\(detail)")
    }

    /// - Throws: A failure that names the path to the fault.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw RemoteFailure.invalidData(reason(error))
        }
    }

    private static func detail(_ response: HTTPResponse, _ data: Data) -> String? {
        let mediaType = response.headerFields[.contentType]?.prefix { $0 != ";" && $0 != " " }
        guard mediaType?.lowercased() == "application/problem+json",
            let detail = try? JSONDecoder().decode(Problem.self, from: data).detail
        else { return nil }
        return loggable(detail)
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): "\(path(context.codingPath)) is missing or null"
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) must be \(name(of: type))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "the body is not JSON"
        case .dataCorrupted(let context):
            "\(path(context.codingPath)) is not valid: \(loggable(context.debugDescription))"
        @unknown default: loggable("\(error)")
        }
    }

    /// The place in the document, as `items[3].image`.
    private static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "the body" }
        return keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "a \(type)"
        }
    }

    /// A foreign text, cut to a line: it may end up on a terminal, which obeys control characters.
    private static func loggable(_ text: String) -> String {
        let limit = 200
        let line = String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(limit).map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }
            )
        )
        return text.unicodeScalars.count > limit ? line + "…" : line
    }
}

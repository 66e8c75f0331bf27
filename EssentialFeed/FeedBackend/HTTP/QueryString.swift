import FeedFeature
import Foundation
import Hummingbird

/// The parameters in a request's query.
///
/// They are read as RFC 3986 has it: `%20` is a space and `+` is a plus sign, unlike in an HTML form.
struct QueryString {
    private let values: [String: [String]]

    /// - Throws: ``Problem`` when the query is not percent-encoded UTF-8.
    init(of request: Request) throws {
        let pairs = try (request.uri.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (try Self.decode(parts[0]), parts.count == 2 ? try Self.decode(parts[1]) : "")
        }
        values = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
    }

    /// The value of a parameter, or nil when it is not there.
    ///
    /// - Throws: `InvalidMessage` when it is there more than once.
    subscript(name: String) -> String? {
        get throws {
            guard let all = values[name] else { return nil }
            guard all.count == 1 else {
                throw InvalidMessage(field: name, reason: "must be given once, not \(all.count) times")
            }
            return all[0]
        }
    }

    /// A parameter that is a whole number within a range.
    ///
    /// - Throws: `InvalidMessage` when it is anything else.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try self[name] else { return nil }
        let number = text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
        guard let number, range.contains(number) else {
            let reason = "must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(text.quoted)"
            throw InvalidMessage(field: name, reason: reason)
        }
        return number
    }

    /// A parameter that is a UUID.
    ///
    /// - Throws: `InvalidMessage` when it is anything else.
    func uuid(_ name: String) throws -> UUID? {
        try self[name].map { try UUID(field: name, text: $0) }
    }

    private static func decode(_ text: Substring) throws -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let decoded = text.removingPercentEncoding else {
            throw Problem(.badRequest, "The query must be percent-encoded UTF-8, which “\(text.prefix(64))” is not.")
        }
        return decoded
    }
}

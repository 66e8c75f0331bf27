import DuetHTTP
import Foundation

extension Refusal {
    /// The limits of a member's text.
    struct TextLimits {
        let maximumBytes: Int
        let allowsLines: Bool
        var allowsBlank = false

        static let line = TextLimits(maximumBytes: 200, allowsLines: false)
        static let optionalLine = TextLimits(maximumBytes: 2_000, allowsLines: false, allowsBlank: true)
        static let text = TextLimits(maximumBytes: 100_000, allowsLines: true)
        static let optionalText = TextLimits(maximumBytes: 2_000, allowsLines: true, allowsBlank: true)
    }

    static func check(_ members: KeyValuePairs<String, String?>, _ limits: TextLimits = .line) throws(Refusal) {
        var errors: [String: [String]] = [:]
        for (member, text) in members {
            let text = text ?? ""
            if !limits.allowsBlank, text.allSatisfy(\.isWhitespace) { errors[member] = ["can't be blank"] }
            let isControl = text.unicodeScalars.contains { scalar in
                scalar.properties.generalCategory == .control
                    && !(limits.allowsLines && ["\n", "\r", "\t"].contains(scalar))
            }
            if isControl { errors[member] = ["has control characters"] }
            if text.utf8.count > limits.maximumBytes {
                errors[member] = ["is longer than \(limits.maximumBytes) bytes"]
            }
        }
        if !errors.isEmpty { throw .invalid(errors) }
    }

    /// Checks a member if it is not absent.
    static func check(_ name: String, _ member: JSONMember<String>, _ limits: TextLimits = .line) throws(Refusal) {
        if member != .absent { try check([name: member.applied(to: nil)], limits) }
    }

    static func checkTags(_ tags: [String]) throws(Refusal) {
        if tags.count > 20 { throw .invalid(["tagList": ["has more than 20 tags"]]) }
        for tag in tags { try check(["tagList": tag]) }
    }

    static func checkPage(offset: Int, limit: Int) throws(Refusal) {
        if offset < 0 { throw .invalid(["offset": ["must be 0 or more"]]) }
        if !(1...100 ~= limit) { throw .invalid(["limit": ["must be 1 to 100"]]) }
    }
}

import Duet
import Foundation

/// A JSON object without the members that are nil.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    private let members: [(String, (any Encodable)?)]

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        self.members = members
    }

    private init(_ members: [(String, (any Encodable)?)]) {
        self.members = members
    }

    /// Returns the object with further members.
    func adding(_ other: JSONObject) -> JSONObject {
        JSONObject(members + other.members)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for case (let name, let value?) in members { try container.encode(value, forKey: Name(stringValue: name)) }
    }

    /// Returns the object with sorted keys, with escapes for what a terminal would interpret.
    func text(isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(self), as: UTF8.self).escapingInterpretedCharacters
    }
}

extension String {
    /// The JSON with the remaining control and format characters of its strings as `\\u` escapes (RFC 8259, section 7).
    ///
    /// The encoder escapes those of ASCII, so the only ones outside of strings are the line feeds between them.
    fileprivate var escapingInterpretedCharacters: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar.isInterpreted, scalar != "\n" else {
                result.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                let digits = String(unit, radix: 16)
                result.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
                )
            }
        }
        return String(result)
    }
}

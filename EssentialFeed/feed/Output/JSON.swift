import Duet
import Foundation

extension Encodable {
    /// Returns JSON with sorted keys, dates as in ISO 8601, and escapes for what a terminal would interpret.
    package func json(isPretty: Bool = true) throws -> String {
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

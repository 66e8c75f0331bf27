import Foundation

extension Encodable {
    /// Returns the value as one JSON object with sorted keys.
    func json(isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// Prints a value as one JSON object.
func printJSON(_ value: some Encodable) throws {
    print(try value.json())
    try Terminal.flush()
}

public import Foundation

/// Converts values of a query to bytes and back, for a ``CacheStore``.
public struct ValueCoding<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) throws -> Data
    let decode: @Sendable (Data) throws -> Value

    /// Creates a coding from two functions that reverse each other.
    public init(
        encode: @escaping @Sendable (Value) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension ValueCoding where Value: Codable {
    /// JSON, with dates as exact numbers.
    public static var json: ValueCoding {
        ValueCoding(
            encode: { try JSONEncoder().encode($0) },
            decode: { try JSONDecoder().decode(Value.self, from: $0) }
        )
    }
}

extension ValueCoding where Value == Data {
    /// No conversion, because JSON would make bytes a third longer.
    public static var bytes: ValueCoding { ValueCoding(encode: \.self, decode: \.self) }
}

/// Encodes queries, so that equal queries have equal bytes in every process.
enum QueryCoding {
    static func encode(_ query: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return canonical(try encoder.encode(query))
    }

    static func decode<Q: Decodable>(_ query: Q.Type, from bytes: Data) throws -> Q {
        try JSONDecoder().decode(query, from: bytes)
    }

    /// Makes JSON equal whose texts and numbers are equal: with one form of Unicode, and without the signs of zeros.
    private static func canonical(_ json: Data) -> Data {
        let (quote, backslash, minus) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "-"))
        guard json.contains(where: { $0 >= 0x80 || $0 == minus }) else { return json }
        var result = Data()
        var rest = json[...]
        var isInText = false
        while let byte = rest.first {
            var count = 1
            switch byte {
            case quote: isInText.toggle()
            // A character after an escape sequence must not be combined with its last letter.
            case backslash: count = rest.dropFirst().first == UInt8(ascii: "u") ? 6 : 2
            case _ where isInText:
                count = rest.firstIndex { $0 == quote || $0 == backslash }.map { $0 - rest.startIndex } ?? rest.count
                result += String(decoding: rest.prefix(count), as: UTF8.self).normalized.utf8
                rest = rest.dropFirst(count)
                continue
            case minus where rest.prefix { "+-.0123456789eE".utf8.contains($0) }.allSatisfy { "-.0".utf8.contains($0) }:
                rest = rest.dropFirst()
                continue
            default: break
            }
            result += rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        return result
    }
}

extension String {
    /// The form of Unicode that equal texts have in common.
    var normalized: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}

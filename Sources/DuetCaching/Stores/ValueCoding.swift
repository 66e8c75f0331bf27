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
        return try encoder.encode(query)
    }

    static func decode<Q: Decodable>(_ query: Q.Type, from bytes: Data) throws -> Q {
        try JSONDecoder().decode(query, from: bytes)
    }
}

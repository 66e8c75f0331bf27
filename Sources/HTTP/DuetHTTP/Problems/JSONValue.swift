/// Any JSON value (RFC 8259).
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits in 64 bits, which keeps all its digits; `1.0` is one too.
    case integer(Int64)
    /// Any other number, with the 15 digits that JSON reliably carries (RFC 8259, section 6).
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    /// The deepest nesting that is decoded.
    ///
    /// Each level uses more than a kilobyte of a stack that may have only 512 kilobytes. A document with 400 levels has
    /// ended the process.
    package static let maximumDepth = 32

    /// Decodes a value of any kind.
    ///
    /// - Throws: `DecodingError` if it is nested deeper than 32 levels, or is a number beyond the range of `Double`.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.maximumDepth else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "It is nested too deep."))
        }
        let container = try decoder.singleValueContainer()
        if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if container.decodeNil() {
            self = .null
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    /// Encodes the value.
    ///
    /// - Throws: `EncodingError` for infinity and NaN.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

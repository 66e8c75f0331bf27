extension JSONValue: Codable {
    /// How deep a value may lie in the document that it is read from.
    ///
    /// Each level takes more than a kilobyte of the stack, of which a thread may have no more than 512: a document of
    /// 400 levels ended the process.
    package static let maximumDepth = 32

    /// Reads a value of any kind.
    ///
    /// - Throws: `DecodingError` when it is nested deeper than 32 levels, or is a number beyond the range of `Double`.
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

    /// Writes the value.
    ///
    /// - Throws: `EncodingError` for a number that is infinite or none.
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

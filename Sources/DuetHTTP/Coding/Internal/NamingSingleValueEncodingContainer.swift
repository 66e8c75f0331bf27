struct NamingSingleValueEncodingContainer: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if names.keys == .asWritten || value is any ParameterScalar {
            try base.encode(value)
        } else {
            try base.encode(SnakeCased(value: value))
        }
    }
}

struct NamingSingleValueDecodingContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if names.keys == .asWritten || type is any ParameterScalar.Type { return try base.decode(type) }
        return try base.decode(SnakeCased<Value>.self).value
    }
}

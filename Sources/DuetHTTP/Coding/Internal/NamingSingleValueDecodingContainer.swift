struct NamingSingleValueDecodingContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if !names.isDeep || type is any ParameterScalar.Type {
            return try NamingDecoder.locating(codingPath) { try base.decode(type) }
        }
        return names.keys == .asWritten
            ? try base.decode(Located<Value>.self).value : try base.decode(SnakeCased<Value>.self).value
    }
}

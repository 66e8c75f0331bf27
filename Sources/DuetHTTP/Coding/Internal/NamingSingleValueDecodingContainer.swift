struct NamingSingleValueDecodingContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try names.read(codingPath, { try base.decode($0) }, { try base.decode($0) }, { try base.decode($0) })
    }
}

struct NamingSingleValueEncodingContainer: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try names.write(value, { try base.encode($0) }, { try base.encode($0) })
    }
}

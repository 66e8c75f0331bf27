struct NamingUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool {
        try base.decodeNil()
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if !names.isDeep || type is any ParameterScalar.Type {
            return try NamingDecoder.locating(codingPath + [WireKey(index: currentIndex)]) { try base.decode(type) }
        }
        return names.keys == .asWritten
            ? try base.decode(Located<Value>.self).value : try base.decode(SnakeCased<Value>.self).value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        NamingKeyedDecodingContainer<Key>.erased(try base.nestedContainer(keyedBy: WireKey.self), names)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        NamingUnkeyedDecodingContainer(base: try base.nestedUnkeyedContainer(), names: names)
    }

    mutating func superDecoder() throws -> any Decoder {
        NamingDecoder(base: try base.superDecoder(), names: names)
    }
}

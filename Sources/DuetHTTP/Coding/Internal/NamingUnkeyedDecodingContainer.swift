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
        try names.read(
            codingPath + [WireKey(index: currentIndex)],
            { try base.decode($0) },
            { try base.decode($0) },
            { try base.decode($0) }
        )
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

struct NamingUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try names.write(value, { try base.encode($0) }, { try base.encode($0) })
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        NamingKeyedEncodingContainer<Key>.erased(base.nestedContainer(keyedBy: WireKey.self), names)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        NamingUnkeyedEncodingContainer(base: base.nestedUnkeyedContainer(), names: names)
    }

    mutating func superEncoder() -> any Encoder {
        NamingEncoder(base: base.superEncoder(), names: names)
    }
}

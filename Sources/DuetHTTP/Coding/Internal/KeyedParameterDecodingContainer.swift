struct KeyedParameterDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: ParameterReader
    let owner: ParameterPlace

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { reader.keys(Key.self, in: owner) }

    func contains(_ key: Key) -> Bool {
        guard case .query(let name) = place(key) else { return true }
        return reader.contains(name) || reader.contains(name + "[]")
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        !contains(key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reader.read(type, at: place(key))
    }

    // The commonest types have ways of their own, past the casts that the general one needs.
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(type, key) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(type, key) }

    private func scalar<Value: ParameterScalar & Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        let place = place(key)
        return place == .body ? try reader.read(type, at: place) : try reader.read(scalar: type, at: place)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try reader.readIfPresent(type, at: place(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        guard case .query = owner else { return try decoder(key).container(keyedBy: type) }
        reader.note()
        return KeyedDecodingContainer(KeyedParameterDecodingContainer<Nested>(reader: reader, owner: owner))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        ParameterDecoder(reader: reader, place: .query("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        decoder(key)
    }

    private func decoder(_ key: Key) -> ParameterDecoder {
        ParameterDecoder(reader: reader, place: place(key))
    }

    private func place(_ key: Key) -> ParameterPlace {
        owner == .message
            ? reader.layout.place(of: key.stringValue) : .query(reader.layout.names.name(key.stringValue))
    }
}

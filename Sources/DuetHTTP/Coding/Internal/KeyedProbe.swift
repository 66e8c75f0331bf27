struct KeyedProbe<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbingDecoder

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        // Asked for by enums whose cases have values; which cases there are cannot be found out.
        if decoder.node.kind == .object { decoder.node.kind = .cases }
        return []
    }

    func contains(_ key: Key) -> Bool { true }

    /// Asked for optionals alone.
    func decodeNil(forKey key: Key) throws -> Bool {
        decoder.node.property(key.stringValue).isOptional = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try inner(key).value(type, text: decoder.defaults(key.stringValue))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let inner = inner(key)
        inner.node.isOptional = true
        return try? inner.value(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        ProbingDecoder(node: decoder.node.property("super"), depth: decoder.depth + 1, defaults: decoder.defaults)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { inner(key) }

    private func inner(_ key: Key) -> ProbingDecoder {
        ProbingDecoder(
            node: decoder.node.property(key.stringValue),
            depth: decoder.depth + 1,
            defaults: decoder.defaults
        )
    }
}

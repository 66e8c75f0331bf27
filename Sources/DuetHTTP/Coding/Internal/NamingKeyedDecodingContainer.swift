struct NamingKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let base: KeyedDecodingContainer<WireKey>
    private let names: KeyNames
    private let reader: ParameterReader?
    private let isDictionary: Bool

    static func erased(
        _ base: KeyedDecodingContainer<WireKey>,
        _ names: KeyNames,
        _ reader: ParameterReader? = nil,
        isDictionary: Bool = false
    ) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Self(base: base, names: names, reader: reader, isDictionary: isDictionary))
    }

    var codingPath: [any CodingKey] { base.codingPath }

    var allKeys: [Key] {
        base.allKeys.compactMap {
            isDictionary ? Key(stringValue: $0.stringValue) : names.key(named: $0.stringValue, Key.self)
        }
    }

    func contains(_ key: Key) -> Bool {
        outside(key) != nil || base.contains(name(key))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try outside(key) == nil && base.decodeNil(forKey: name(key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let (reader, place) = outside(key) { return try reader.read(type, at: place) }
        let key = name(key)
        return try names.read(
            codingPath + [key],
            { try base.decode($0, forKey: key) },
            { try base.decode($0, forKey: key) },
            { try base.decode($0, forKey: key) }
        )
    }

    // The commonest types have ways of their own, past the casts that the general one needs.
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        if let (reader, place) = outside(key) { return try reader.read(scalar: type, at: place) }
        return try NamingDecoder.locating(codingPath + [name(key)]) { try base.decode(type, forKey: name(key)) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        if let (reader, place) = outside(key) { return try reader.read(scalar: type, at: place) }
        return try NamingDecoder.locating(codingPath + [name(key)]) { try base.decode(type, forKey: name(key)) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        if let (reader, place) = outside(key) { return try reader.read(scalar: type, at: place) }
        return try NamingDecoder.locating(codingPath + [name(key)]) { try base.decode(type, forKey: name(key)) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        if let (reader, place) = outside(key) { return try reader.read(scalar: type, at: place) }
        return try NamingDecoder.locating(codingPath + [name(key)]) { try base.decode(type, forKey: name(key)) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        NamingKeyedDecodingContainer<Nested>
            .erased(try base.nestedContainer(keyedBy: WireKey.self, forKey: name(key)), names.nested)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        NamingUnkeyedDecodingContainer(base: try base.nestedUnkeyedContainer(forKey: name(key)), names: names.nested)
    }

    func superDecoder() throws -> any Decoder {
        NamingDecoder(base: try base.superDecoder(), names: names.nested)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        if let (reader, place) = outside(key) {
            return ParameterDecoder(reader: reader, place: place)
        }
        return NamingDecoder(base: try base.superDecoder(forKey: name(key)), names: names.nested)
    }

    /// Where a property is that is no part of the document.
    private func outside(_ key: Key) -> (ParameterReader, ParameterPlace)? {
        guard let reader, case .path(let name) = reader.layout.place(of: key.stringValue) else { return nil }
        return (reader, .path(name))
    }

    private func name(_ key: Key) -> WireKey {
        WireKey(isDictionary ? key.stringValue : names.name(key.stringValue))
    }
}

struct NamingKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private var base: KeyedEncodingContainer<WireKey>
    private let names: KeyNames
    private let writer: ParameterWriter?
    private let isDictionary: Bool

    static func erased(
        _ base: KeyedEncodingContainer<WireKey>,
        _ names: KeyNames,
        _ writer: ParameterWriter? = nil,
        isDictionary: Bool = false
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Self(base: base, names: names, writer: writer, isDictionary: isDictionary))
    }

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        guard outside(key) == nil else { return }
        try base.encodeNil(forKey: name(key))
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        if let (writer, place) = outside(key) {
            try writer.write(value, at: place, in: .message)
        } else {
            try names.write(
                value,
                { try base.encode($0, forKey: name(key)) },
                { try base.encode($0, forKey: name(key)) }
            )
        }
    }

    // The commonest types have ways of their own, past the casts that the general one needs.
    mutating func encode(_ value: String, forKey key: Key) throws {
        if let (writer, place) = outside(key) { return try writer.write(scalar: value, at: place, in: .message) }
        try base.encode(value, forKey: name(key))
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        if let (writer, place) = outside(key) { return try writer.write(scalar: value, at: place, in: .message) }
        try base.encode(value, forKey: name(key))
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        if let (writer, place) = outside(key) { return try writer.write(scalar: value, at: place, in: .message) }
        try base.encode(value, forKey: name(key))
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        if let (writer, place) = outside(key) { return try writer.write(scalar: value, at: place, in: .message) }
        try base.encode(value, forKey: name(key))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        if let (writer, place) = outside(key) { return encoder(writer, place).container(keyedBy: type) }
        return NamingKeyedEncodingContainer<Nested>
            .erased(base.nestedContainer(keyedBy: WireKey.self, forKey: name(key)), names.nested)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        if let (writer, place) = outside(key) { return encoder(writer, place).unkeyedContainer() }
        return NamingUnkeyedEncodingContainer(base: base.nestedUnkeyedContainer(forKey: name(key)), names: names.nested)
    }

    mutating func superEncoder() -> any Encoder {
        NamingEncoder(base: base.superEncoder(), names: names.nested)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        if let (writer, place) = outside(key) { return encoder(writer, place) }
        return NamingEncoder(base: base.superEncoder(forKey: name(key)), names: names.nested)
    }

    /// Where a property goes that is no part of the document.
    private func outside(_ key: Key) -> (ParameterWriter, ParameterPlace)? {
        guard let writer, case .path(let name) = writer.place(of: key.stringValue) else { return nil }
        return (writer, .path(name))
    }

    private func encoder(_ writer: ParameterWriter, _ place: ParameterPlace) -> ParameterEncoder {
        ParameterEncoder(writer: writer, place: place, parent: .message)
    }

    private func name(_ key: Key) -> WireKey {
        WireKey(isDictionary ? key.stringValue : names.name(key.stringValue))
    }
}

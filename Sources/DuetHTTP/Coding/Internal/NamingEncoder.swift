/// Names the keys of what is written to an encoder, and turns the properties of a message that are no part of it away.
struct NamingEncoder: Encoder {
    let base: any Encoder
    let names: KeyNames

    /// Takes what goes into the path; nil below the message itself.
    var writer: ParameterWriter?

    /// The keys of a dictionary are data.
    var isDictionary = false

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        NamingKeyedEncodingContainer<Key>.erased(
            base.container(keyedBy: WireKey.self),
            names,
            writer,
            isDictionary: isDictionary
        )
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer?.refuse(.message, "is a list; encode it as properties with names")
        return NamingUnkeyedEncodingContainer(base: base.unkeyedContainer(), names: names)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        writer?.refuse(.message, "is a single value; encode it as properties with names")
        return NamingSingleValueEncodingContainer(base: base.singleValueContainer(), names: names)
    }
}

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
        } else if names.keys == .asWritten || value is any ParameterScalar {
            try base.encode(value, forKey: name(key))
        } else {
            try base.encode(SnakeCased(value: value), forKey: name(key))
        }
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
        ParameterEncoder(writer: writer, place: place, parent: .message, isDictionary: false)
    }

    private func name(_ key: Key) -> WireKey {
        WireKey(isDictionary ? key.stringValue : names.name(key.stringValue))
    }
}

struct NamingUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if names.keys == .asWritten || value is any ParameterScalar {
            try base.encode(value)
        } else {
            try base.encode(SnakeCased(value: value))
        }
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

struct NamingSingleValueEncodingContainer: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws {
        try base.encodeNil()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if names.keys == .asWritten || value is any ParameterScalar {
            try base.encode(value)
        } else {
            try base.encode(SnakeCased(value: value))
        }
    }
}

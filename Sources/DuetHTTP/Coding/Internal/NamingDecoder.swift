/// Reads values whose keys were named, and the properties of a message that are no part of the document from where they are.
struct NamingDecoder: Decoder {
    let base: any Decoder
    let names: KeyNames

    /// Has what came in the path; nil below the message itself.
    var reader: ParameterReader?

    /// The keys of a dictionary are data.
    var isDictionary = false

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try base.container(keyedBy: WireKey.self)
        return NamingKeyedDecodingContainer<Key>.erased(container, names, reader, isDictionary: isDictionary)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        NamingUnkeyedDecodingContainer(base: try base.unkeyedContainer(), names: names)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        NamingSingleValueDecodingContainer(base: try base.singleValueContainer(), names: names)
    }
}

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
        if names.keys == .asWritten || type is any ParameterScalar.Type {
            return try base.decode(type, forKey: name(key))
        }
        return try base.decode(SnakeCased<Value>.self, forKey: name(key)).value
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
            return ParameterDecoder(reader: reader, place: place, isDictionary: false)
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
        if names.keys == .asWritten || type is any ParameterScalar.Type { return try base.decode(type) }
        return try base.decode(SnakeCased<Value>.self).value
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

struct NamingSingleValueDecodingContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if names.keys == .asWritten || type is any ParameterScalar.Type { return try base.decode(type) }
        return try base.decode(SnakeCased<Value>.self).value
    }
}

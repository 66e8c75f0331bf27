/// Reads one value, or its properties, from parameters of a URL.
final class ParameterDecoder: Decoder, SingleValueDecodingContainer {
    private let reader: ParameterReader
    private let place: ParameterPlace

    /// The type of the value, if it is known.
    private let type: Any.Type?

    init(reader: ParameterReader, place: ParameterPlace, type: Any.Type? = nil) {
        self.reader = reader
        self.place = place
        self.type = type
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch place {
        case .message, .query, .body:
            guard !(self.type is any DictionaryValue.Type) else {
                throw refused("is a dictionary, which a URL cannot hold")
            }
            if case .query(let name) = place {
                try reader.checkBrackets(name, form: "parameters with the names of its properties, without brackets")
            }
        case .path, .element: throw refused("is a struct, of which this place holds no more than one value")
        }
        return KeyedDecodingContainer(KeyedContainer<Key>(reader: reader, owner: place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .query(let name) = place else { throw refused("is a list, which this place does not hold") }
        return UnkeyedContainer(reader: reader, name: name, values: try reader.values(name))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool {
        guard case .query(let name) = place else { return false }
        return !reader.contains(name)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try reader.read(type, at: place)
    }

    private func refused(_ reason: String) -> HTTPMessageError {
        ParameterReader.invalid(place.name, reason)
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: ParameterReader
    let owner: ParameterPlace

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { reader.keys(Key.self, in: owner) }

    func contains(_ key: Key) -> Bool {
        guard case .query(let name) = place(key) else { return true }
        return reader.isPresent(name)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        !contains(key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reader.read(type, at: place(key))
    }

    // The most common types avoid the casts of the general method.
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
        return KeyedDecodingContainer(KeyedContainer<Nested>(reader: reader, owner: owner))
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

private struct UnkeyedContainer: UnkeyedDecodingContainer {
    let reader: ParameterReader
    let name: String
    let values: [String]
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let place = try next()
        let value = try reader.read(type, at: place)
        currentIndex += 1
        return value
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try superDecoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        ParameterDecoder(reader: reader, place: try next())
    }

    private func next() throws -> ParameterPlace {
        guard !isAtEnd else { throw ParameterReader.invalid(name, "must be given more than \(values.count) times") }
        return .element(name, text: values[currentIndex])
    }
}

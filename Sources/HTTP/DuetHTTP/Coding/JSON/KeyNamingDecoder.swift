import DuetContext
import Foundation

/// A decoder whose keys have wire names, and that reads a message's path parameters in place of members.
struct KeyNamingDecoder: Decoder {
    let base: any Decoder
    let names: KeyNames

    /// Reads the parameters of the path; nil for nested values.
    var reader: ParameterReader?

    /// Whether the value is a dictionary, whose keys are data and keep their names.
    var isDictionary = false

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try base.container(keyedBy: WireKey.self)
        return KeyedContainer<Key>.erased(container, names, reader, isDictionary: isDictionary)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.unkeyedContainer(), names: names)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(base: try base.singleValueContainer(), names: names)
    }

    /// Reads a scalar.
    ///
    /// When Foundation only reports that it is wrong, adds the path and the expected form.
    fileprivate static func locating<Value>(
        _ path: @autoclosure () -> [any CodingKey],
        _ read: () throws -> Value
    ) throws -> Value {
        do {
            return try read()
        } catch {
            let isVague = (error as? DecodingError)?.isVague ?? (Value.self is any FixedWidthInteger.Type)
            guard isVague, let type = Value.self as? any ParameterScalar.Type else { throw error }
            let reason = "must be \(type.form(insteadOf: ""))"
            throw DecodingError.dataCorrupted(.init(codingPath: path(), debugDescription: reason))
        }
    }
}

// MARK: Values

/// A message that is read from a JSON object and the parameters of its path.
struct MessageObject<Message: HTTPMessage>: DecodableWithConfiguration {
    let message: Message

    init(from decoder: any Decoder, configuration reader: ParameterReader) throws {
        message = try Message(from: KeyNamingDecoder(base: decoder, names: reader.names, reader: reader))
    }
}

/// A value whose keys, and those of its nested values, are in snake case in the document.
struct SnakeCased<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let isDictionary = Value.self is any DictionaryValue.Type
        value = try Value(
            from: KeyNamingDecoder(base: decoder, names: KeyNames(.snakeCase), isDictionary: isDictionary)
        )
    }
}

/// A value that is decoded a second time, to find the place of a fault.
///
/// Foundation does not report where a number is too large or is not a whole number.
struct Located<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let isDictionary = Value.self is any DictionaryValue.Type
        let names = KeyNames(.asWritten, isRecursive: true)
        value = try Value(from: KeyNamingDecoder(base: decoder, names: names, isDictionary: isDictionary))
    }
}

extension KeyNames {
    /// Reads a nested value, with the path to it in the error when it is invalid.
    fileprivate func read<Value: Decodable>(
        _ path: @autoclosure () -> [any CodingKey],
        _ plain: (Value.Type) throws -> Value,
        _ located: (Located<Value>.Type) throws -> Located<Value>,
        _ snakeCased: (SnakeCased<Value>.Type) throws -> SnakeCased<Value>
    ) throws -> Value {
        if !isRecursive || Value.self is any ParameterScalar.Type {
            return try KeyNamingDecoder.locating(path()) { try plain(Value.self) }
        }
        return keys == .asWritten
            ? try located(Located<Value>.self).value : try snakeCased(SnakeCased<Value>.self).value
    }
}

// MARK: Containers

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
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

    // The most common types avoid the casts of the general method.
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scalar(key) { try base.decode(type, forKey: $0) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try scalar(key) { try base.decode(type, forKey: $0) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try scalar(key) { try base.decode(type, forKey: $0) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try scalar(key) { try base.decode(type, forKey: $0) }
    }

    private func scalar<Value: ParameterScalar>(_ key: Key, _ read: (WireKey) throws -> Value) throws -> Value {
        if let (reader, place) = outside(key) { return try reader.read(scalar: Value.self, at: place) }
        return try KeyNamingDecoder.locating(codingPath + [name(key)]) { try read(name(key)) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedContainer<Nested>
            .erased(try base.nestedContainer(keyedBy: WireKey.self, forKey: name(key)), names.nested)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: name(key)), names: names.nested)
    }

    func superDecoder() throws -> any Decoder {
        KeyNamingDecoder(base: try base.superDecoder(), names: names.nested)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        if let (reader, place) = outside(key) {
            return ParameterDecoder(reader: reader, place: place)
        }
        return KeyNamingDecoder(base: try base.superDecoder(forKey: name(key)), names: names.nested)
    }

    /// The place of a property that is in the path and not in the document.
    private func outside(_ key: Key) -> (ParameterReader, ParameterPlace)? {
        guard let reader, case .path(let name) = reader.layout.place(of: key.stringValue) else { return nil }
        return (reader, .path(name))
    }

    private func name(_ key: Key) -> WireKey {
        WireKey(isDictionary ? key.stringValue : names.name(key.stringValue))
    }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
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
        KeyedContainer<Key>.erased(try base.nestedContainer(keyedBy: WireKey.self), names)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(base: try base.nestedUnkeyedContainer(), names: names)
    }

    mutating func superDecoder() throws -> any Decoder {
        KeyNamingDecoder(base: try base.superDecoder(), names: names)
    }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let names: KeyNames

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try names.read(codingPath, { try base.decode($0) }, { try base.decode($0) }, { try base.decode($0) })
    }
}

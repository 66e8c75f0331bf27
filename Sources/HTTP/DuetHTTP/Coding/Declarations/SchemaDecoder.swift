/// Decodes a type from placeholder values to learn its structure before there is any value of it.
///
/// A type that rejects a placeholder ends the decoding. The schema keeps everything that was learned until then.
struct SchemaDecoder: Decoder {
    /// A placeholder was rejected, or a type contains itself.
    struct Stop: Error {}

    let schema: ReflectedSchema
    var depth = 0

    /// The defaults of parameters, by coding key.
    var defaults: (_ key: String) -> String? = { _ in nil }

    var text: String?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Learns the structure of a type.
    ///
    /// - Returns: Whether the type could be decoded completely.
    static func reflect<Value: Decodable>(
        _ type: Value.Type,
        _ schema: ReflectedSchema,
        defaults: @escaping (String) -> String?
    ) -> Bool {
        (try? Value(from: SchemaDecoder(schema: schema, defaults: defaults))) != nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if schema.kind == .unknown { schema.kind = .object }
        schema.learn(type)
        return KeyedDecodingContainer(KeyedContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        if schema.kind == .unknown { schema.kind = .list }
        return UnkeyedContainer(decoder: SchemaDecoder(schema: schema.element, depth: depth + 1))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self)
    }

    func value<Value: Decodable>(_ type: Value.Type, text: String? = nil) throws -> Value {
        guard depth < 8 else { throw Stop() }
        if type is any OptionalValue.Type { schema.isOptional = true }
        if type is any MemberOrNull.Type { (schema.isOptional, schema.distinguishesNull) = (true, true) }
        if let dictionary = type as? any DictionaryValue.Type {
            schema.kind = .dictionary
            if let values = dictionary.valueType as? any Decodable.Type {
                _ = try? SchemaDecoder(schema: schema.element, depth: depth + 1).value(values)
            }
        }
        if let scalar = type as? any ParameterScalar.Type {
            schema.kind = .scalar
            guard let value = dummy(scalar, text) as? Value else { throw Stop() }
            return value
        }
        do {
            return try Value(from: SchemaDecoder(schema: schema, depth: depth + 1, defaults: defaults, text: text))
        } catch {
            if text != nil, schema.kind == .scalar { schema.refusesDefault = true }
            guard let cases = type as? any CaseIterable.Type, let first = first(of: cases) as? Value else {
                throw error
            }
            return first
        }
    }

    private func dummy<Scalar: ParameterScalar>(_ type: Scalar.Type, _ text: String?) -> Scalar? {
        if let text {
            let value = Scalar(parameterText: text, .rfc3339) ?? Scalar(parameterText: text, .secondsSince1970)
            schema.refusesDefault = value == nil
            if let value { return value }
        }
        return ["0", "true", "00000000-0000-0000-0000-000000000000", "2001-01-01T00:00:00Z"].lazy
            .compactMap { Scalar(parameterText: $0, .rfc3339) }.first
    }

    private func first<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
        type.allCases.first
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SchemaDecoder

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        // Only an enum whose cases have values asks for all keys. Its cases cannot be discovered.
        if decoder.schema.kind == .object { decoder.schema.kind = .cases }
        return []
    }

    func contains(_ key: Key) -> Bool { true }

    /// Called for optionals only.
    func decodeNil(forKey key: Key) throws -> Bool {
        decoder.schema.property(key.stringValue).isOptional = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try inner(key).value(type, text: decoder.defaults(key.stringValue))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let inner = inner(key)
        inner.schema.isOptional = true
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
        SchemaDecoder(schema: decoder.schema.property("super"), depth: decoder.depth + 1, defaults: decoder.defaults)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { inner(key) }

    private func inner(_ key: Key) -> SchemaDecoder {
        SchemaDecoder(
            schema: decoder.schema.property(key.stringValue),
            depth: decoder.depth + 1,
            defaults: decoder.defaults
        )
    }
}

/// A list of exactly one element.
private struct UnkeyedContainer: UnkeyedDecodingContainer {
    let decoder: SchemaDecoder
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isAtEnd else { throw SchemaDecoder.Stop() }
        currentIndex += 1
        return try decoder.value(type)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        currentIndex += 1
        return try decoder.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return try decoder.unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        currentIndex += 1
        return decoder
    }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let decoder: SchemaDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.value(type, text: decoder.text)
    }
}

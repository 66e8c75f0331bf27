/// The JSON object of a message: its properties without those that are in its path.
struct MessageBody<Message: HTTPMessage>: Encodable {
    let message: Message

    /// Takes the properties that are in the path.
    let parameters: ParameterWriter

    func encode(to encoder: any Encoder) throws {
        // A message whose properties are all in its path is an empty object.
        _ = encoder.container(keyedBy: WireKey.self)
        try message.encode(to: MessageBodyEncoder(base: encoder, parameters: parameters))
    }
}

/// Names the properties of a message and diverts those that are in its path; everything else is the base encoder's.
private struct MessageBodyEncoder: Encoder {
    let base: any Encoder
    let parameters: ParameterWriter

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            MessageBodyContainer(base: base.container(keyedBy: WireKey.self), parameters: parameters)
        )
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        parameterEncoder.unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        parameters.refuse(.message, "is a single value; encode it as properties with names")
        return parameterEncoder.singleValueContainer()
    }

    /// Refuses a message that is not encoded as properties, which the base encoder would stop the process for.
    private var parameterEncoder: ParameterEncoder {
        ParameterEncoder(writer: parameters, place: .message, parent: .message)
    }
}

private struct MessageBodyContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private enum Target {
        case member(WireKey)
        case path(ParameterPlace)
    }

    var base: KeyedEncodingContainer<WireKey>
    let parameters: ParameterWriter

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        if case .member(let name) = target(key) { try base.encodeNil(forKey: name) }
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        switch target(key) {
        case .member(let name): try base.encode(value, forKey: name)
        case .path(let place): try parameters.write(value, at: place, in: .message)
        }
    }

    // The most common types avoid the casts of the general method.
    mutating func encode(_ value: String, forKey key: Key) throws {
        switch target(key) {
        case .member(let name): try base.encode(value, forKey: name)
        case .path(let place): try parameters.write(scalar: value, at: place, in: .message)
        }
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        switch target(key) {
        case .member(let name): try base.encode(value, forKey: name)
        case .path(let place): try parameters.write(scalar: value, at: place, in: .message)
        }
    }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
        switch target(key) {
        case .member(let name): try base.encode(value, forKey: name)
        case .path(let place): try parameters.write(scalar: value, at: place, in: .message)
        }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        switch target(key) {
        case .member(let name): base.nestedContainer(keyedBy: type, forKey: name)
        case .path(let place): parameterEncoder(place).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        switch target(key) {
        case .member(let name): base.nestedUnkeyedContainer(forKey: name)
        case .path(let place): parameterEncoder(place).unkeyedContainer()
        }
    }

    mutating func superEncoder() -> any Encoder {
        base.superEncoder()
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        switch target(key) {
        case .member(let name): base.superEncoder(forKey: name)
        case .path(let place): parameterEncoder(place)
        }
    }

    private func target(_ key: Key) -> Target {
        switch parameters.place(of: key.stringValue) {
        case .path(let name): .path(.path(name))
        case let place: .member(WireKey(place.name))
        }
    }

    private func parameterEncoder(_ place: ParameterPlace) -> ParameterEncoder {
        ParameterEncoder(writer: parameters, place: place, parent: .message)
    }
}

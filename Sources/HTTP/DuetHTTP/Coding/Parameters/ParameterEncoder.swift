/// Writes one value, or its properties, as parameters of a URL.
struct ParameterEncoder: Encoder {
    let writer: ParameterWriter
    let place: ParameterPlace
    let parent: ParameterPlace

    var type: Any.Type?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if self.type is any DictionaryValue.Type {
            writer.refuse(place, "is a dictionary, which a URL cannot hold; make it a struct or send it in a body")
        }
        switch place {
        case .path: writer.refuse(place, "is not a single value; only one fills a placeholder")
        case .element: writer.refuse(place, "is a list of structs, which a URL cannot hold; send it in a body")
        case .message, .query, .body: break
        }
        return KeyedEncodingContainer(KeyedContainer<Key>(writer: writer, owner: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        switch place {
        case .query(let name): writer.beginList(name, in: parent)
        case .path: writer.refuse(place, "is a list; only a single value fills a placeholder")
        case .element: writer.refuse(place, "is a list of lists, which a URL cannot hold; send it in a body")
        case .message: writer.refuse(place, "is a list; encode it as properties with names")
        case .body: break
        }
        return UnkeyedContainer(writer: writer, place: .element(place.name, text: ""))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueContainer(encoder: self)
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: ParameterWriter
    let owner: ParameterPlace

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        // A nil is left out, but its key counts as encoded.
        _ = place(key)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try writer.write(value, at: place(key), in: owner)
    }

    // The most common types avoid the casts of the general method.
    func encode(_ value: String, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }
    func encode(_ value: Int, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }
    func encode(_ value: Bool, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }
    func encode(_ value: Double, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        guard let value else { return }
        try writer.writePresent(value, at: place(key), in: owner)
    }

    /// Writes the values of an enum's case.
    ///
    /// The name of the case is the value of the property that holds the enum.
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        guard case .query = owner else { return encoder(key).container(keyedBy: type) }
        do {
            try writer.write(scalar: writer.layout.names.name(key.stringValue), at: owner, in: .message)
        } catch {
            writer.refuse(
                owner,
                "cannot hold \(key.stringValue) beside another parameter of this name; set parameterNames"
            )
        }
        return KeyedEncodingContainer(KeyedContainer<Nested>(writer: writer, owner: owner))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        ParameterEncoder(writer: writer, place: .query("super"), parent: owner)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder(key)
    }

    private func encoder(_ key: Key) -> ParameterEncoder {
        ParameterEncoder(writer: writer, place: place(key), parent: owner)
    }

    private func place(_ key: Key) -> ParameterPlace {
        owner == .message ? writer.place(of: key.stringValue) : .query(writer.layout.names.name(key.stringValue))
    }
}

private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let writer: ParameterWriter
    let place: ParameterPlace
    private(set) var count = 0

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        throw writer.unsendable(place.name, "has nil in it, which a URL cannot hold; leave it out of the list")
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if let optional = value as? any OptionalValue, optional.isNil { try encodeNil() }
        try writer.write(value, at: place, in: place)
        count += 1
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    private var encoder: ParameterEncoder {
        ParameterEncoder(writer: writer, place: place, parent: place)
    }
}

private struct SingleValueContainer: SingleValueEncodingContainer {
    let encoder: ParameterEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        if case .element(let name, _) = encoder.place {
            throw encoder.writer.unsendable(name, "has nil in it, which a URL cannot hold; leave it out of the list")
        }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.writer.write(value, at: encoder.place, in: encoder.parent)
    }
}

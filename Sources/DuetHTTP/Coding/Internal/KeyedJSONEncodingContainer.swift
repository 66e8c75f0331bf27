struct KeyedJSONEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONWriter
    let id: Int

    /// Takes what is no part of the document.
    let parameters: ParameterWriter?

    var codingPath: [any CodingKey] { writer.path() }

    func encodeNil(forKey key: Key) throws {
        guard outside(key) == nil else { return }
        _ = try writer.member(key, of: id)
        writer.append(literal: "null")
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        if let (parameters, place) = outside(key) { return try parameters.write(value, at: place, in: .message) }
        try writer.write(value, at: writer.member(key, of: id))
    }

    // The commonest types have ways of their own, past all that the general one asks.
    func encode(_ value: String, forKey key: Key) throws {
        guard try begin(value, key) != nil else { return }
        writer.append(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        guard try begin(value, key) != nil else { return }
        writer.append(literal: String(value))
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        guard try begin(value, key) != nil else { return }
        writer.append(literal: value ? "true" : "false")
    }

    func encode(_ value: Double, forKey key: Key) throws {
        guard let place = try begin(value, key) else { return }
        try writer.write(value, at: place)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        superEncoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(forKey: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        writer.part(of: id) { try writer.member(WireKey("super"), of: id) }
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        guard let (parameters, place) = outside(key) else {
            return writer.part(of: id) { try writer.member(key, of: id) }
        }
        return ParameterEncoder(writer: parameters, place: place, parent: .message)
    }

    /// Begins the member that a value comes next in; nil when it is no part of the document and has gone where it belongs.
    private func begin(_ value: some ParameterScalar, _ key: Key) throws -> JSONDocument.Place? {
        guard let (parameters, place) = outside(key) else { return try writer.member(key, of: id) }
        try parameters.write(scalar: value, at: place, in: .message)
        return nil
    }

    /// Where a property goes that is no part of the document.
    private func outside(_ key: Key) -> (ParameterWriter, ParameterPlace)? {
        guard let parameters, case .path(let name) = parameters.place(of: key.stringValue) else { return nil }
        return (parameters, .path(name))
    }
}

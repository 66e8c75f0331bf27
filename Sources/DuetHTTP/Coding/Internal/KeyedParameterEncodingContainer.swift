struct KeyedParameterEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: ParameterWriter
    let owner: ParameterPlace

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        // Left out, but not forgotten.
        _ = place(key)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try writer.write(value, at: place(key), in: owner)
    }

    // The commonest types have ways of their own, past the casts that the general one needs.
    func encode(_ value: String, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }
    func encode(_ value: Int, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }
    func encode(_ value: Bool, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }
    func encode(_ value: Double, forKey key: Key) throws { try writer.write(scalar: value, at: place(key), in: owner) }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        guard let value else { return }
        try writer.writePresent(value, at: place(key), in: owner)
    }

    /// The values of one case of an enum: the case's name goes under the name of the property that holds the enum.
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
        return KeyedEncodingContainer(KeyedParameterEncodingContainer<Nested>(writer: writer, owner: owner))
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

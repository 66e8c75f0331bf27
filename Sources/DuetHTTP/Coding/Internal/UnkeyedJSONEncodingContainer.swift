struct UnkeyedJSONEncodingContainer: UnkeyedEncodingContainer {
    let writer: JSONWriter
    let id: Int

    var codingPath: [any CodingKey] { writer.path() }
    var count: Int { writer.count(of: id) }

    func encodeNil() throws {
        _ = try writer.element(of: id)
        writer.append(literal: "null")
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try writer.write(value, at: writer.element(of: id))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        superEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        superEncoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        writer.part(of: id) { try writer.element(of: id) }
    }
}

struct SingleParameterEncodingContainer: SingleValueEncodingContainer {
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

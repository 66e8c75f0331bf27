struct UnkeyedParameterEncodingContainer: UnkeyedEncodingContainer {
    let writer: ParameterWriter
    let place: ParameterPlace
    private(set) var count = 0

    init(writer: ParameterWriter, place: ParameterPlace) {
        self.writer = writer
        self.place = place
    }

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

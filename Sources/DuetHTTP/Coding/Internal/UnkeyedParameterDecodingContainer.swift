struct UnkeyedParameterDecodingContainer: UnkeyedDecodingContainer {
    let reader: ParameterReader
    let name: String
    let values: [String]
    private(set) var currentIndex = 0

    init(reader: ParameterReader, name: String, values: [String]) {
        self.reader = reader
        self.name = name
        self.values = values
    }

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

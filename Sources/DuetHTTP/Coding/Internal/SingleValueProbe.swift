struct SingleValueProbe: SingleValueDecodingContainer {
    let decoder: ProbingDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.value(type, text: decoder.text)
    }
}

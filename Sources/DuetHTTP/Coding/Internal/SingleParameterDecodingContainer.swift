struct SingleParameterDecodingContainer: SingleValueDecodingContainer {
    let reader: ParameterReader
    let place: ParameterPlace

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        guard case .query(let name) = place else { return false }
        return !reader.contains(name)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try reader.read(type, at: place)
    }
}

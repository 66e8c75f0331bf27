/// A value whose keys are in snake case in the document, all the way down.
struct SnakeCased<Value> {
    let value: Value
}

extension SnakeCased: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws {
        let isDictionary = Value.self is any DictionaryValue.Type
        value = try Value(from: NamingDecoder(base: decoder, names: KeyNames(.snakeCase), isDictionary: isDictionary))
    }
}

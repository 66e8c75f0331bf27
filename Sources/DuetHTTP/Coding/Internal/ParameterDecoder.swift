/// Reads one value, or the properties of one, from parameters.
struct ParameterDecoder: Decoder {
    let reader: ParameterReader
    let place: ParameterPlace

    /// What is read, if it is known.
    var type: Any.Type?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch place {
        case .message, .query, .body:
            guard !(self.type is any DictionaryValue.Type) else {
                throw refused("is a dictionary, which a URL cannot hold")
            }
        case .path, .element: throw refused("is a struct, of which this place holds no more than one value")
        }
        return KeyedDecodingContainer(KeyedParameterDecodingContainer<Key>(reader: reader, owner: place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .query(let name) = place else { throw refused("is a list, which this place does not hold") }
        return UnkeyedParameterDecodingContainer(reader: reader, name: name, values: reader.values(name))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleParameterDecodingContainer(reader: reader, place: place)
    }

    private func refused(_ reason: String) -> HTTPMessageError {
        ParameterReader.invalid(place.name, reason)
    }
}

/// Writes one value, or the properties of one, as parameters.
struct ParameterEncoder: Encoder {
    let writer: ParameterWriter
    let place: ParameterPlace
    let parent: ParameterPlace

    /// What is written, if it is known.
    var type: Any.Type?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if self.type is any DictionaryValue.Type {
            writer.refuse(place, "is a dictionary, which a URL cannot hold; make it a struct or send it in a body")
        }
        switch place {
        case .path: writer.refuse(place, "is not a single value; only one fills a placeholder")
        case .element: writer.refuse(place, "is a list of structs, which a URL cannot hold; send it in a body")
        case .message, .query, .body: break
        }
        return KeyedEncodingContainer(KeyedParameterEncodingContainer<Key>(writer: writer, owner: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        switch place {
        case .query(let name): writer.beginList(name, in: parent)
        case .path: writer.refuse(place, "is a list; only a single value fills a placeholder")
        case .element: writer.refuse(place, "is a list of lists, which a URL cannot hold; send it in a body")
        case .message: writer.refuse(place, "is a list; encode it as properties with names")
        case .body: break
        }
        return UnkeyedParameterEncodingContainer(writer: writer, place: .element(place.name, text: ""))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleParameterEncodingContainer(encoder: self)
    }
}

/// Encodes one value into a JSON document.
struct JSONValueEncoder: Encoder {
    let writer: JSONWriter

    /// The value in the writer.
    let id: Int

    /// Takes what is no part of the document; nil below the message itself.
    var parameters: ParameterWriter?

    /// Encodes the whole document of a writer.
    init(_ writer: JSONWriter, parameters: ParameterWriter? = nil) {
        self.init(writer, writer.begin())
        self.parameters = parameters
    }

    /// Encodes a value that has begun in a writer.
    init(_ writer: JSONWriter, _ id: Int) {
        self.writer = writer
        self.id = id
    }

    var codingPath: [any CodingKey] { writer.path() }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.form(id, as: .object)
        return KeyedEncodingContainer(KeyedJSONEncodingContainer(writer: writer, id: id, parameters: parameters))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        parameters?.refuse(.message, "is a list; encode it as properties with names")
        writer.form(id, as: .array)
        return UnkeyedJSONEncodingContainer(writer: writer, id: id)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        parameters?.refuse(.message, "is a single value; encode it as properties with names")
        return SingleJSONEncodingContainer(writer: writer, id: id)
    }
}

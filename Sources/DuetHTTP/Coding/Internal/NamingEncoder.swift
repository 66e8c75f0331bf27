/// Names the keys of what is written to an encoder, and turns the properties of a message that are no part of it away.
struct NamingEncoder: Encoder {
    let base: any Encoder
    let names: KeyNames

    /// Takes what goes into the path; nil below the message itself.
    var writer: ParameterWriter?

    /// The keys of a dictionary are data.
    var isDictionary = false

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        NamingKeyedEncodingContainer<Key>.erased(
            base.container(keyedBy: WireKey.self),
            names,
            writer,
            isDictionary: isDictionary
        )
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer?.refuse(.message, "is a list; encode it as properties with names")
        return NamingUnkeyedEncodingContainer(base: base.unkeyedContainer(), names: names)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        writer?.refuse(.message, "is a single value; encode it as properties with names")
        return NamingSingleValueEncodingContainer(base: base.singleValueContainer(), names: names)
    }
}

/// Reads values whose keys were named, and the properties of a message that are no part of the document from where they are.
struct NamingDecoder: Decoder {
    let base: any Decoder
    let names: KeyNames

    /// Has what came in the path; nil below the message itself.
    var reader: ParameterReader?

    /// The keys of a dictionary are data.
    var isDictionary = false

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try base.container(keyedBy: WireKey.self)
        return NamingKeyedDecodingContainer<Key>.erased(container, names, reader, isDictionary: isDictionary)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        NamingUnkeyedDecodingContainer(base: try base.unkeyedContainer(), names: names)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        NamingSingleValueDecodingContainer(base: try base.singleValueContainer(), names: names)
    }
}

/// A value that is decoded a second time, to learn where in the document the fault is.
///
/// Foundation does not say where a number is that is no whole one, or is too large.
struct Located<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let isDictionary = Value.self is any DictionaryValue.Type
        let names = KeyNames(.asWritten, isDeep: true)
        value = try Value(from: NamingDecoder(base: decoder, names: names, isDictionary: isDictionary))
    }
}

extension NamingDecoder {
    /// Reads a value, and says where it is and what it must be when Foundation only says that it is wrong.
    static func locating<Value>(_ path: @autoclosure () -> [any CodingKey], _ read: () throws -> Value) throws -> Value
    {
        do {
            return try read()
        } catch {
            let isVague = (error as? DecodingError)?.isVague ?? (Value.self is any FixedWidthInteger.Type)
            guard isVague, let type = Value.self as? any ParameterScalar.Type else { throw error }
            let reason = "must be \(type.form(insteadOf: ""))"
            throw DecodingError.dataCorrupted(.init(codingPath: path(), debugDescription: reason))
        }
    }
}

/// A query whose value travels between processes as another type, its payload.
///
/// Every carrier uses the two mappings, for example because the value is not `Codable`, or its wire format differs from
/// the model. Without a payload, a carrier encodes the value itself.
public protocol PayloadQuery: Query, Codable {
    /// The type that is encoded.
    associatedtype Payload: Codable & Sendable = Value

    /// Maps a payload to a value, in the process that asks.
    ///
    /// - Throws: An error that the sender receives as the reason of a response that cannot be used.
    static func value(from payload: Payload, answering query: Self) throws -> Value

    /// Maps a value to a payload, in the process that answers.
    static func payload(from value: Value, answering query: Self) throws -> Payload
}

extension PayloadQuery where Payload == Value {
    /// The payload itself.
    public static func value(from payload: Payload, answering query: Self) -> Value { payload }

    /// The value itself.
    public static func payload(from value: Value, answering query: Self) -> Payload { value }
}

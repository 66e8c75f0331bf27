public import Duet

/// A query that is also an HTTP request: a `GET`, whose properties are parameters of the URL, unless it says otherwise.
///
/// Where the wire differs from the model, set `Payload` to a type that looks like the wire and write the two mappers.
public protocol HTTPQuery: Query, HTTPMessage {
    /// What the answer looks like on the wire: JSON, or bytes as ``HTTPBytes``.
    associatedtype Payload: Codable & Sendable = Value

    /// With which method it is sent.
    static var method: QueryMethod { get }

    /// The value that a payload stands for.
    ///
    /// - Throws: What is wrong with the payload; the sender gets it as the reason of an ``HTTPFailure``.
    static func value(from payload: Payload, answering query: Self) throws -> Value

    /// The payload that a value is sent as.
    static func payload(from value: Value, answering query: Self) throws -> Payload
}

extension HTTPQuery {
    /// `GET`.
    public static var method: QueryMethod { .get }
}

extension HTTPQuery where Payload == Value {
    /// The payload itself.
    public static func value(from payload: Payload, answering query: Self) -> Value { payload }

    /// The value itself.
    public static func payload(from value: Value, answering query: Self) -> Payload { value }
}

public import Duet

/// A query that is sent as an HTTP request, by default a `GET` whose properties are parameters of the URL.
///
/// If the wire format differs from the model, set `Payload` to a type for the wire format and write the two mappings.
public protocol HTTPQuery: Query, HTTPMessage {
    /// The type of the response's content: JSON, or bytes as ``HTTPBytes``.
    associatedtype Payload: Codable & Sendable = Value

    /// The method of the request.
    static var method: QueryMethod { get }

    /// Maps a payload to a value.
    ///
    /// - Throws: An error that a client receives as the reason of an ``HTTPFailure``.
    static func value(from payload: Payload, answering query: Self) throws -> Value

    /// Maps a value to a payload.
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

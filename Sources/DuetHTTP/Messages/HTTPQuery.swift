public import Duet
package import HTTPTypes

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

/// The methods of queries.
public enum QueryMethod: Hashable, Sendable {
    /// The properties are parameters of the URL, and the response can be cached.
    case get

    /// The properties that are not in the path are a JSON object in the body, for queries that are too long for a URL.
    ///
    /// The request may be repeated, because a query changes nothing. The response has no entity tag.
    case post

    /// The HTTP method.
    package var request: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}

/// A query to a third-party server, which needs no mapping from its value to a payload.
///
/// It can be sent but not mounted.
public protocol ThirdPartyQuery: HTTPQuery {}

extension ThirdPartyQuery {
    /// Not supported, so a mount reports such a query as a fault.
    ///
    /// - Throws: Always ``HTTPMessageError/notServed(message:)``.
    public static func payload(from value: Value, answering query: Self) throws -> Payload {
        throw HTTPMessageError.notServed(message: messageName)
    }
}

extension ThirdPartyQuery where Payload == Value {
    /// The value itself.
    public static func payload(from value: Value, answering query: Self) -> Payload { value }
}

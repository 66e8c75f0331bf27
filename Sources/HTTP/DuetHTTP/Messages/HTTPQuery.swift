public import Duet

/// A query that is sent as an HTTP request, such as a `GET` whose properties are parameters of the URL.
///
/// The content of the response is the ``/Duet/PayloadQuery/Payload`` as JSON, or unchanged for ``HTTPBytes``. If the
/// wire format differs from the model, set it to a type for the wire format and write the two mappings.
///
/// ```swift
/// struct LoadSpeaker: IDQuery, Hashable {
///     typealias Value = Speaker
///     static let route: QueryRoute<Self> = .get("api/collections/speakers/records/{id}")
///
///     let id: String
/// }
/// ```
public protocol HTTPQuery: PayloadQuery, HTTPMessage where RouteMethod == QueryMethod {}

/// A query to a third-party server, which needs no mapping from its value to a payload.
///
/// It can be sent but not mounted.
///
/// ```swift
/// struct LoadToken: ThirdPartyQuery {
///     typealias Value = String
///     static let route: QueryRoute<Self> = .post("api/collections/_superusers/auth-with-password")
///
///     let identity: String
///     let password: String
///
///     struct Payload: Codable, Sendable {
///         let token: String
///     }
///
///     static func value(from payload: Payload, answering query: Self) -> String { payload.token }
/// }
/// ```
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

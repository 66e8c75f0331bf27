public import Duet

/// A query to a third-party server, which needs no mapping from its value to a payload.
///
/// It can be sent but not mounted.
public protocol ForeignQuery: HTTPQuery {}

extension ForeignQuery {
    /// Always throws.
    ///
    /// A mount reports such a query as a fault.
    ///
    /// - Throws: ``HTTPMessageError/notServed(message:)``.
    public static func payload(from value: Value, answering query: Self) throws -> Payload {
        throw HTTPMessageError.notServed(message: messageName)
    }
}

extension ForeignQuery where Payload == Value {
    /// The value itself.
    public static func payload(from value: Value, answering query: Self) -> Payload { value }
}

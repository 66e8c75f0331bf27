public import Duet

/// A query that only somebody else's server answers, so that it needs no way back from its value to the payload.
///
/// It is sent like any other and is not mounted.
public protocol ForeignQuery: HTTPQuery {}

extension ForeignQuery {
    /// Nothing: a server that mounts the query is told so when it does.
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

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

/// A query whose payload has links to the server, which each client reaches at its own address.
///
/// The value has none of these addresses, so that a cache can keep it for all.
public protocol LinkingQuery: PayloadQuery {
    /// Maps a value to a payload, in the process that answers.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - query: The query that it answers.
    ///   - address: The beginning of the links, without a slash at its end: `https://example.org`.
    static func payload(from value: Value, answering query: Self, at address: String) throws -> Payload
}

extension LinkingQuery {
    /// The payload for nodes of a cluster and others that have no address of the server: with `http://localhost`.
    public static func payload(from value: Value, answering query: Self) throws -> Payload {
        try payload(from: value, answering: query, at: "http://localhost")
    }

    fileprivate func payload<V, P>(from value: V, at address: String) throws -> P {
        // Value and payload of the caller are those of this type.
        let value = unsafe unsafeBitCast(value, to: Value.self)
        return unsafe unsafeBitCast(try Self.payload(from: value, answering: self, at: address), to: P.self)
    }
}

extension PayloadQuery {
    /// The payload, with links at an address if it has any.
    package static func payload(from value: Value, answering query: Self, linkedTo address: String?) throws -> Payload {
        guard let address, let query = query as? any LinkingQuery else {
            return try payload(from: value, answering: query)
        }
        return try query.payload(from: value, at: address)
    }
}

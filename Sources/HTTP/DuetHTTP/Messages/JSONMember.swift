/// A member of a JSON object that may be absent, null or a value, as in a merge patch (RFC 7396).
///
/// The synthesized code of a type with such a property leaves an absent member out, also within a list or a dictionary
/// of such types. A type that is generic over the member itself cannot: it throws for an absent one.
public enum JSONMember<Value> {
    /// There is no such member: the value stays as it is.
    case absent
    /// The value is removed.
    case null
    /// The new value.
    case value(Value)

    /// The value that this member makes of another one.
    public func applied(to current: Value?) -> Value? {
        switch self {
        case .absent: current
        case .null: nil
        case .value(let value): value
        }
    }
}

extension JSONMember: Equatable where Value: Equatable {}

extension JSONMember: Hashable where Value: Hashable {}

extension JSONMember: Sendable where Value: Sendable {}

extension JSONMember: Decodable, MemberOrNull where Value: Decodable {
    /// Reads null or a value.
    public init(from decoder: any Decoder) throws {
        self = try Value?(from: decoder).map(JSONMember.value) ?? .null
    }
}

extension JSONMember: Encodable where Value: Encodable {
    /// Writes null or the value.
    ///
    /// - Throws: `EncodingError` for an absent member, which only the type that it belongs to can leave out.
    public func encode(to encoder: any Encoder) throws {
        if case .absent = self {
            let reason = "an absent member is left out by a property of type JSONMember only, not by a generic one"
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
        }
        try applied(to: nil).encode(to: encoder)
    }
}

/// An optional property that is written as null, where synthesized code would leave a nil out.
///
/// A member that is absent is read as nil.
@propertyWrapper
public struct Nullable<Value> {
    /// The value of the property.
    public var wrappedValue: Value?

    /// Wraps a value.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension Nullable: Equatable where Value: Equatable {}

extension Nullable: Hashable where Value: Hashable {}

extension Nullable: Sendable where Value: Sendable {}

extension Nullable: Decodable, MemberOrNull where Value: Decodable {
    /// Reads null or a value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try Value?(from: decoder)
    }
}

extension Nullable: Encodable where Value: Encodable {
    /// Writes the value or null.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

/// A type whose null is not the same as an absent member, so that a URL cannot hold it.
protocol MemberOrNull {}

// Synthesized code prefers these methods to the general ones.

extension KeyedDecodingContainer {
    /// Reads a member that may be absent or null.
    public func decode<Value: Decodable>(
        _ type: JSONMember<Value>.Type,
        forKey key: Key
    ) throws -> JSONMember<Value> {
        contains(key) ? try member(type, key) : .absent
    }

    /// Reads a member that may be null; an absent one is nil.
    public func decode<Value: Decodable>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        contains(key) ? try member(type, key) : Nullable(wrappedValue: nil)
    }

    private func member<Member: Decodable>(_ type: Member.Type, _ key: Key) throws -> Member {
        try decode(type, forKey: key)
    }
}

extension KeyedEncodingContainer {
    /// Writes a member unless it is absent.
    public mutating func encode<Value: Encodable>(_ member: JSONMember<Value>, forKey key: Key) throws {
        if case .absent = member { return }
        try write(member, key)
    }

    private mutating func write<Member: Encodable>(_ member: Member, _ key: Key) throws {
        try encode(member, forKey: key)
    }
}

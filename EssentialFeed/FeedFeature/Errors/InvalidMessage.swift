/// A field of a message holds what it must not.
public struct InvalidMessage: Error, Hashable, Codable, Sendable {
    /// The field, by its name on the wire.
    public let field: String

    /// What is wrong with it and what it may be.
    public let reason: String

    /// Names a field and what is wrong with it.
    public init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }
}

extension InvalidMessage: CustomStringConvertible {
    /// The field and what is wrong with it.
    public var description: String { "\(field) \(reason)." }
}

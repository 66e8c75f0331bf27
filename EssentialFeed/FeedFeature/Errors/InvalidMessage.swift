import Duet

/// A field of a message has an invalid value.
public struct InvalidMessage: Error, Hashable, Codable, CustomStringConvertible {
    /// The field's name on the wire.
    public let field: String

    /// The fault and the allowed values, as the end of a sentence.
    public let reason: String

    /// Creates an error for a field.
    public init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    /// The field and its fault.
    public var description: String { "\(field.safe(upTo: 64)) \(reason.safe(upTo: 500))." }
}

import Duet

/// The idempotency key of a command was used before, for another command.
public struct IdempotencyKeyReused: Error, Hashable, Codable, CustomStringConvertible {
    /// The key.
    public let key: String

    /// Creates an error for the key.
    public init(key: String) {
        self.key = key
    }

    /// The refusal and its remedy.
    public var description: String {
        "The idempotency key \(key.safe(upTo: 255)) was used for another command. Send this command with a new key."
    }
}

public import Duet
public import DuetContext

/// Loads the holder of the token with a hash; nil if the token is unknown or revoked.
public struct LoadTokenHolder: Query, Hashable {
    /// The holder.
    public typealias Value = Principal?

    /// The token's hash.
    public let hash: String

    /// Creates a query for a hash of 64 hexadecimal digits.
    public init(hash: String) {
        self.hash = hash
    }
}

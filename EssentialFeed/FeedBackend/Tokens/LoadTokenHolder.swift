public import Duet
public import DuetContext

/// Asks who bears the token of a hash; nil when it is not accepted, or no longer.
public struct LoadTokenHolder: Query, Hashable {
    /// Who bears it.
    public typealias Value = Principal?

    /// The token's hash.
    public let hash: String

    /// Asks about the token of a hash, which is 64 hexadecimal digits.
    public init(hash: String) {
        self.hash = hash
    }
}

import Duet

/// An error for a load that took longer than the hard timeout of its policy.
public struct CacheTimeout: Error, Hashable, CustomStringConvertible {
    /// The name of the query.
    public let query: String

    /// The hard timeout.
    public let timeout: Duration

    /// The query and its timeout.
    public var description: String {
        "\(query) was not loaded within \(timeout.text). The load continues, and a later read may find its value."
    }
}

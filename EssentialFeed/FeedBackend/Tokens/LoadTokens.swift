public import Duet

/// Asks which tokens the backend accepts, the oldest first.
public struct LoadTokens: Query, Hashable {
    /// What is known of each.
    public typealias Value = [TokenSummary]

    /// Makes the query.
    public init() {}
}

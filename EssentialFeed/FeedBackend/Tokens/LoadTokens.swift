public import Duet
public import FeedFeature
public import Foundation

/// Loads a summary of each token that the backend accepts, the oldest first.
public struct LoadTokens: Query, Hashable {
    /// The summaries.
    public typealias Value = [TokenSummary]

    /// Creates the query.
    public init() {}
}

/// A summary of a token, without the token itself.
public struct TokenSummary: Hashable, Sendable {
    /// The token's name.
    public let name: String

    /// The permissions that it grants.
    public let permissions: Set<Permission>

    /// The time when it was issued.
    public let createdAt: Date
}

public import FeedFeature
public import Foundation

/// What is known of a token, which is not the token itself.
public struct TokenSummary: Hashable, Sendable {
    /// The name that it was given.
    public let name: String

    /// What it permits.
    public let permissions: Set<Permission>

    /// When it was made.
    public let createdAt: Date
}

public import Foundation

/// An image of the feed as the backend keeps it; where its bytes are depends on who asks.
public struct PublishedImage: Hashable, Identifiable, Sendable {
    /// The id that its publisher gave it.
    public let id: UUID

    /// What it shows, if somebody said so.
    public let description: String?

    /// Where it was taken, if somebody said so.
    public let location: String?
}

public import Foundation

/// One image of the feed, and where its bytes are.
public struct FeedImage: Hashable, Identifiable, Sendable {
    /// The id that its publisher gave it.
    public let id: UUID

    /// What it shows, if somebody said so.
    public let description: String?

    /// Where it was taken, if somebody said so.
    public let location: String?

    /// Where its bytes are loaded from; never empty, always with a scheme.
    public let url: URL

    /// Makes an image of its parts.
    public init(id: UUID, description: String? = nil, location: String? = nil, url: URL) {
        self.id = id
        self.description = description
        self.location = location
        self.url = url
    }
}

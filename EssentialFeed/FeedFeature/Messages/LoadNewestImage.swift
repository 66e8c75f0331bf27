public import Duet

/// Loads the id of the newest image, so that a screen that observes it knows when the feed has a new one.
public struct LoadNewestImage: Query, Hashable, Codable {
    /// The id; nil for an empty feed.
    public typealias Value = FeedImage.ID?

    /// Creates a query.
    public init() {}
}

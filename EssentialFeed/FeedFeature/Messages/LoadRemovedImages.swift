public import Duet

/// Loads the ids of the images that were removed last, so that a screen that observes it can forget them.
public struct LoadRemovedImages: Query, Hashable, Codable {
    /// The ids, the last removal first; at most ``limit``.
    public typealias Value = [FeedImage.ID]

    /// The largest number of ids.
    public static let limit = 100

    /// Creates a query.
    public init() {}
}

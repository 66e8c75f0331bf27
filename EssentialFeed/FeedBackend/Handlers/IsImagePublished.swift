public import Duet
import DuetMacros
public import FeedFeature
import GRDB

/// Returns whether an image is in the feed.
public struct IsImagePublished: Query, Hashable {
    /// Whether it is in the feed.
    public typealias Value = Bool

    /// The image.
    public let id: FeedImage.ID

    /// Creates a query for an image.
    public init(id: FeedImage.ID) {
        self.id = id
    }
}

@Resolvable
struct IsImagePublishedHandler: QueryHandler {
    let database: FeedDatabase

    func handle(_ query: IsImagePublished) async throws -> Bool {
        try await database.connection.read { try $0.position(of: query.id) != nil }
    }
}

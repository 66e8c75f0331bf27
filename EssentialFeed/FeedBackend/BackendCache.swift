import Duet
import DuetCaching
import FeedFeature
import Foundation

extension QueryCache {
    /// The total size of the values in memory, in bytes.
    private static let limit = 32 * 1_024 * 1_024

    /// Creates the backend's cache, which reports the changes of live queries.
    ///
    /// It tracks the database, so a value is used until something is written that its handler has read, also by another
    /// process. A rule narrows: a comment concerns its own image only.
    static func backend(tracking database: FeedDatabase, now: CurrentDate) throws(InvalidCacheRules) -> QueryCache {
        try QueryCache(
            in: .memory(limit: .weight(limit)),
            tracking: [database.connection],
            now: now.callAsFunction
        ) {
            Cache(LoadFeed.self, scope: .shared, weight: { $0.images.approximateSize })
            Cache(SearchFeed.self, scope: .shared, weight: { $0.images.approximateSize })
            Cache(LoadImageDetails.self, scope: .shared, weight: { [$0].approximateSize })
            Cache(LoadNeighbors.self, scope: .shared, weight: { _ in 128 })
            Cache(LoadNewestImage.self, scope: .shared, weight: { _ in 64 })
            Cache(LoadRemovedImages.self, scope: .shared, weight: { _ in 4_096 })
            Cache(LoadPublishedImageData.self, scope: .shared, weight: \.data.count)
            Cache(LoadImageComments.self, scope: .shared, weight: { $0.approximateSize })
            Invalidate(LoadImageComments.self, after: PostImageComment.self) { $0.imageID == $1.imageID }
            Invalidate(LoadImageComments.self, after: RemoveImageComment.self) { $0.imageID == $1.imageID }
        }
    }
}

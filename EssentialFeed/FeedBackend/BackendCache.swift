import Duet
import DuetCaching
import FeedFeature
import Foundation

extension QueryCache {
    /// The total size of the values in memory, in bytes.
    private static let limit = 32 * 1_024 * 1_024

    /// Creates the backend's cache, which reports the changes of live queries.
    ///
    /// Its values are not used twice, because other processes may change the database. Observers of one query share its
    /// value, and concurrent requests for the bytes of an image share one load.
    static func backend(now: CurrentDate) throws(InvalidCacheRules) -> QueryCache {
        try QueryCache(in: .memory(limit: .weight(limit)), now: now.callAsFunction) {
            Cache(LoadNewestImage.self, .maxAge(.zero), scope: .shared, weight: { _ in 64 })
            Invalidate(LoadNewestImage.self, after: PublishImage.self, RemoveImage.self)

            Cache(LoadRemovedImages.self, .maxAge(.zero), scope: .shared, weight: { _ in 4_096 })
            Invalidate(LoadRemovedImages.self, after: RemoveImage.self)

            Cache(LoadPublishedImageData.self, .maxAge(.zero), scope: .shared, weight: \.data.count)
            Invalidate(LoadPublishedImageData.self, after: RemoveImage.self) { $0.id == $1.id }

            Cache(LoadImageComments.self, .maxAge(.zero), scope: .shared, weight: \.approximateSize)
            Invalidate(LoadImageComments.self, after: PostImageComment.self) { $0.imageID == $1.imageID }
            Invalidate(LoadImageComments.self, after: RemoveImageComment.self) { $0.imageID == $1.imageID }
            Invalidate(LoadImageComments.self, after: RemoveImage.self) { $0.imageID == $1.id }
        }
    }
}

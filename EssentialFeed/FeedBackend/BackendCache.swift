import Duet
import DuetCaching
import FeedFeature
import Foundation

extension QueryCache {
    /// Creates the backend's cache, which reports the changes of live queries.
    ///
    /// Its values are not used twice, because other processes may change the database. Observers of one query share its
    /// value.
    static func backend(now: CurrentDate) throws(InvalidCacheRules) -> QueryCache {
        try QueryCache(in: .memory(limit: .entries(10_000)), now: now.callAsFunction) {
            Cache(LoadNewestImage.self, .maxAge(.zero), scope: .shared)
            Invalidate(LoadNewestImage.self, after: PublishImage.self, RemoveImage.self)

            Cache(LoadRemovedImages.self, .maxAge(.zero), scope: .shared)
            Invalidate(LoadRemovedImages.self, after: RemoveImage.self)

            Cache(LoadImageComments.self, .maxAge(.zero), scope: .shared)
            Invalidate(LoadImageComments.self, after: PostImageComment.self) { $0.imageID == $1.imageID }
            Invalidate(LoadImageComments.self, after: RemoveImage.self) { $0.imageID == $1.id }
        }
    }
}

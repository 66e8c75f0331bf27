import Duet
package import DuetCaching
package import FeedFeature
import Foundation

extension QueryCache {
    /// The total size of the cached values, in bytes.
    private static let limit = 32 * 1_024 * 1_024

    /// Creates the client's cache, with all of its rules.
    ///
    /// One cache serves all queries, so each rule states the size of its values in bytes. A client has one account, so
    /// all callers share the values.
    package static func client(now: CurrentDate, clock: any Clock<Duration>) throws(InvalidCacheRules) -> QueryCache {
        try QueryCache(in: .memory(limit: .weight(limit)), now: now.callAsFunction, clock: clock) {
            // Concurrent loads of a page become one. No value is used afterward: a refresh must reach the server, and a
            // page that did not pass through its handler would be missing in the store, which serves it offline.
            Cache(LoadFeed.self, .maxAge(.zero), scope: .shared, weight: \.images.approximateSize)
            Invalidate(LoadFeed.self, after: PublishImage.self, RemoveImage.self, CorrectImage.self)

            // Anyone can invent ids, so that an image is missing is also remembered.
            Cache(
                LoadImageDetails.self,
                .maxAge(.seconds(10)).cachingErrors(for: .seconds(10)) { $0 is ImageNotFound || $0 is ImageRemoved },
                scope: .shared,
                weight: { [$0].approximateSize }
            )
            Invalidate(LoadImageDetails.self, after: CorrectImage.self) { $0.id == $1.id }
            Invalidate(LoadImageDetails.self, after: RemoveImage.self) { $0.id == $1.id }
            Invalidate(LoadImageDetails.self, after: PublishImage.self) { $0.id == $1.id }
            Invalidate(LoadImageDetails.self, after: PostImageComment.self) { $0.id == $1.imageID }
            Invalidate(LoadImageDetails.self, after: RemoveImageComment.self) { $0.id == $1.imageID }

            // A new image appears beside another one after a few seconds.
            Cache(LoadNeighbors.self, .maxAge(.seconds(10)), scope: .shared, weight: { _ in 128 })
            Invalidate(LoadNeighbors.self, after: PublishImage.self, RemoveImage.self)

            // In memory only. Images and comments of other people appear after a few seconds.
            Cache(SearchFeed.self, .maxAge(.seconds(10)), scope: .shared, weight: \.images.approximateSize)
            Invalidate(
                SearchFeed.self,
                after: PublishImage.self,
                RemoveImage.self,
                CorrectImage.self,
                PostImageComment.self,
                RemoveImageComment.self
            )

            // As long as browsers may keep them. Bytes follow the feed, so they are invalidated when it may be gone.
            // All of them are, because the commands do not know the images' URLs.
            Cache(LoadImageData.self, .maxAge(.hours(1)), scope: .shared, weight: \.count)
            Invalidate(LoadImageData.self, after: RemoveImage.self, RemoveInvalidFeedCache.self)

            // Observed, not read. Without a server that reports changes, a new image appears after a refresh.
            Cache(LoadNewestImage.self, .maxAge(.zero), scope: .shared, weight: { _ in 64 })
            Invalidate(LoadNewestImage.self, after: PublishImage.self, RemoveImage.self)

            // Observed, not read, by servers that show removed images to nobody.
            Cache(LoadRemovedImages.self, .maxAge(.zero), scope: .shared, weight: { $0.count * 16 })
            Invalidate(LoadRemovedImages.self, after: RemoveImage.self)

            // Never stored. Comments that others post appear after a few seconds, and at once where they are observed.
            Cache(LoadImageComments.self, .maxAge(.seconds(10)), scope: .shared, weight: \.approximateSize)
            Invalidate(LoadImageComments.self, after: PostImageComment.self) { $0.imageID == $1.imageID }
            Invalidate(LoadImageComments.self, after: RemoveImageComment.self) { $0.imageID == $1.imageID }
            OptimisticUpdate(LoadImageComments.self, by: PostImageComment.self) { page, query, command in
                guard query.imageID == command.imageID else { return }
                page.add(ImageComment(command, createdAt: now()), answering: query)
            }
            Invalidate(LoadImageComments.self, after: RemoveImage.self) { $0.imageID == $1.id }

            // An image that is forgotten may be a part of any value.
            Invalidate(everythingAfter: ClearFeedCache.self, ForgetImages.self)
        }
    }

    /// Invalidates the bytes of the images of a page that was loaded from the server.
    ///
    /// The store drops the bytes of images that leave the feed, and refuses those that are not in it. When an image
    /// enters the feed, its bytes have to pass through their handler once more, or they would be missing offline.
    func follow(_ page: FeedPage) {
        guard page.source == .remote else { return }
        let urls = Set(page.images.flatMap(\.storedURLs))
        // Other nodes have their own store, so they are not concerned.
        invalidate(LoadImageData.self, isLocal: true) { urls.contains($0.url) }
    }
}

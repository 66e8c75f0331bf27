import FeedFeature
import Foundation

/// A transaction on a copy of the feed, which the store then takes over or forgets.
final class WorkingFeed: FeedStoreTransaction {
    private(set) var feed: Result<CachedFeed?, any Error>
    private(set) var isChanged = false

    init(_ feed: Result<CachedFeed?, any Error>) {
        self.feed = feed
    }

    func deleteCachedFeed() {
        feed = .success(nil)
        isChanged = true
    }

    func insert(_ images: [FeedImage], timestamp: Date) {
        feed = .success(CachedFeed(images: images, timestamp: timestamp))
        isChanged = true
    }

    func retrieve() throws -> CachedFeed? {
        try feed.get()
    }
}

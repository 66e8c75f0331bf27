import FeedFeature
import Foundation

/// A transaction on a copy of the feed, which the store adopts or discards afterwards.
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

    func append(_ images: [FeedImage]) throws {
        guard let feed = try feed.get() else { return }
        var known = Set(feed.images.map(\.id))
        let added = images.filter { known.insert($0.id).inserted }
        if !added.isEmpty { insert(feed.images + added, timestamp: feed.timestamp) }
    }

    func retrieve() throws -> CachedFeed? {
        try feed.get()
    }

    func retrieveTimestamp() throws -> Date? {
        try feed.get()?.timestamp
    }

    func contains(_ id: FeedImage.ID) throws -> Bool {
        try feed.get()?.images.contains { $0.id == id } ?? false
    }
}

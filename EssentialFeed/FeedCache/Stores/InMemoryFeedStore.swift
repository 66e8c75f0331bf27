import FeedFeature
public import Foundation
import Synchronization

/// Stores the feed and its images' bytes in memory, until the process ends.
public final class InMemoryFeedStore: FeedStore, FeedImageDataStore {
    private struct Contents {
        var feed: CachedFeed?
        var data: [URL: Data] = [:]
    }

    private let contents = Mutex(Contents())

    /// Creates an empty store.
    public init() {}

    /// Returns the feed, or nil without one; never fails.
    public func retrieve() async throws -> CachedFeed? {
        contents.withLock { $0.feed }
    }

    /// Returns the feed's timestamp, or nil without a feed; never fails.
    public func retrieveTimestamp() async throws -> Date? {
        contents.withLock { $0.feed?.timestamp }
    }

    /// Returns the number of images, or nil without a feed; never fails.
    public func retrieveCount() async throws -> Int? {
        contents.withLock { $0.feed?.images.count }
    }

    /// Runs several steps as one.
    ///
    /// - Throws: The error that `body` throws; nothing has changed then.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try contents.withLock { contents in
            let working = WorkingFeed(.success(contents.feed))
            try body(working)
            guard working.isChanged else { return }
            contents.feed = try working.retrieve()
            let urls = Set(contents.feed?.images.flatMap(\.storedURLs) ?? [])
            contents.data = contents.data.filter { urls.contains($0.key) }
        }
    }

    /// Stores the bytes if the feed has this URL, as an image or as a small version of one; never fails.
    public func insert(_ data: Data, for url: URL) async throws {
        contents.withLock { contents in
            guard let feed = contents.feed, feed.images.contains(where: { $0.storedURLs.contains(url) }) else { return }
            contents.data[url] = data
        }
    }

    /// Returns the bytes for this URL, or nil when there are none; never fails.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        contents.withLock { $0.data[url] }
    }
}

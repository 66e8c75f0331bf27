import FeedFeature
public import Foundation
import Synchronization

/// Keeps the feed and its images' bytes for as long as the process lives.
public final class InMemoryFeedStore: FeedStore, FeedImageDataStore {
    private struct Contents {
        var feed: CachedFeed?
        var data: [URL: Data] = [:]
    }

    private let contents = Mutex(Contents())

    /// Makes an empty store.
    public init() {}

    /// The feed, or nil when there is none; it never fails.
    public func retrieve() async throws -> CachedFeed? {
        contents.withLock { $0.feed }
    }

    /// Runs several steps as one.
    ///
    /// - Throws: What `body` throws; nothing has changed then.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try contents.withLock { contents in
            let working = WorkingFeed(.success(contents.feed))
            try body(working)
            contents.feed = try working.retrieve()
            let urls = Set(contents.feed?.images.map(\.url) ?? [])
            contents.data = contents.data.filter { urls.contains($0.key) }
        }
    }

    /// Keeps the bytes if the feed has an image with this URL; it never fails.
    public func insert(_ data: Data, for url: URL) async throws {
        contents.withLock { contents in
            guard let feed = contents.feed, feed.images.contains(where: { $0.url == url }) else { return }
            contents.data[url] = data
        }
    }

    /// The bytes kept for this URL, or nil when there are none; it never fails.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        contents.withLock { $0.data[url] }
    }
}

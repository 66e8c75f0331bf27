public import FeedFeature
public import Foundation

/// Loads the feed from a store and keeps it there.
///
/// Each command is one transaction of the store, so that a failure, or the end of the process, in the middle of it leaves
/// the previous feed.
public struct LocalFeedLoader: FeedLoader, FeedCache {
    private let store: any FeedStore
    private let policy: FeedCachePolicy
    private let now: @Sendable () -> Date

    /// Makes a loader on a store.
    ///
    /// - Parameters:
    ///   - store: Where the feed is kept.
    ///   - policy: Which feeds are fresh.
    ///   - now: The time at the moment of the call.
    public init(store: any FeedStore, policy: FeedCachePolicy, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.policy = policy
        self.now = now
    }

    /// Loads the cached feed if it is fresh; otherwise no images, from nowhere.
    ///
    /// It never writes.
    ///
    /// - Throws: The store's own error.
    public func load() async throws -> FeedPage {
        guard let feed = try await store.retrieve(), policy.isFresh(feed.timestamp, at: now()) else {
            return FeedPage(images: [], source: .nowhere)
        }
        return FeedPage(images: feed.images, source: .cache(savedAt: feed.timestamp))
    }

    /// Replaces the cached feed by one that is new now.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    public func save(_ feed: [FeedImage]) async throws {
        try await store.transaction { [now] store in
            try store.deleteCachedFeed()
            // The time is read in the transaction, where nobody else can save: timestamps follow the order of saves.
            try store.insert(feed, timestamp: now())
        }
    }

    /// Adds a page to the cached feed, which keeps its age; a page that belongs to another feed is dropped.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    public func append(_ page: [FeedImage], after last: FeedImage.ID, savedAt: Date) async throws {
        try await store.transaction { store in
            guard let feed = try store.retrieve(), feed.timestamp == savedAt,
                feed.images.contains(where: { $0.id == last })
            else { return }
            var known = Set(feed.images.map(\.id))
            let added = page.filter { known.insert($0.id).inserted }
            guard !added.isEmpty else { return }
            try store.insert(feed.images + added, timestamp: feed.timestamp)
        }
    }

    /// Deletes the cached feed if it has expired or cannot be read; leaves a fresh one alone.
    ///
    /// - Throws: The error of the deletion; the previous feed is then still there.
    public func removeInvalidCache() async throws {
        try await store.transaction { [now, policy] store in
            let isValid: Bool
            do {
                isValid = try store.retrieve().map { policy.isFresh($0.timestamp, at: now()) } ?? true
            } catch {
                // What cannot be read cannot become readable by waiting.
                isValid = false
            }
            if !isValid { try store.deleteCachedFeed() }
        }
    }
}

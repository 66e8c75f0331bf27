import DuetCaching
public import FeedFeature
public import Foundation

/// Loads the feed from a store, and saves it there.
///
/// Each command is one transaction of the store, so that a failure in the middle, or the end of the process, leaves the
/// previous feed in place. All functions throw the store's own errors.
public struct LocalFeedLoader: FeedLoader, FeedCache {
    private let store: any FeedStore
    private let policy: FeedCachePolicy
    private let now: @Sendable () -> Date

    /// Creates a loader on a store.
    ///
    /// - Parameters:
    ///   - store: The store of the feed.
    ///   - policy: Decides which feeds are fresh.
    ///   - now: Returns the current time.
    public init(store: any FeedStore, policy: FeedCachePolicy, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.policy = policy
        self.now = now
    }

    /// Loads the cached feed if it is fresh; otherwise a page without images, from nowhere.
    ///
    /// It never writes.
    public func load() async throws -> FeedPage {
        guard let feed = try await store.retrieve(), policy.isFresh(feed.timestamp, at: now()) else {
            return FeedPage(images: [], source: .nowhere)
        }
        return FeedPage(images: feed.images, source: .cache(savedAt: feed.timestamp))
    }

    /// Returns when the cached feed was saved, or nil when there is none or it has expired.
    public func savedAt() async throws -> Date? {
        guard let timestamp = try await store.retrieveTimestamp(), policy.isFresh(timestamp, at: now()) else {
            return nil
        }
        return timestamp
    }

    /// Returns the number of images in the cached feed, fresh or not; 0 if nothing is cached.
    public func count() async throws -> Int {
        try await store.retrieveCount() ?? 0
    }

    /// Replaces the cached feed by one that is new now.
    ///
    /// - Throws: ``InvalidatedLoad``, or the store's own error; the previous feed is then still there.
    public func save(_ feed: [FeedImage]) async throws {
        try await storeLoadedImages { [now] store in
            try store.deleteCachedFeed()
            // Within the transaction nobody else can save, so timestamps follow the order of saves.
            try store.insert(feed, timestamp: now())
        }
    }

    /// Adds a page to the cached feed, which keeps its age; drops a page of another feed.
    ///
    /// - Throws: ``InvalidatedLoad``, or the store's own error; the previous feed is then still there.
    public func append(_ page: [FeedImage], after last: FeedImage.ID, savedAt: Date) async throws {
        guard !page.isEmpty else { return }
        try await storeLoadedImages { store in
            guard try store.retrieveTimestamp() == savedAt, try store.contains(last) else { return }
            try store.append(page)
        }
    }

    /// Refuses images whose load was invalidated, so that none from before "clear cache" are saved after it.
    private func storeLoadedImages(
        _ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void
    ) async throws {
        // The body runs on the store's thread, which does not know the load.
        let load = CacheLoad.current
        try await store.transaction { store in
            guard load?.isInvalidated != true else { throw InvalidatedLoad() }
            try body(store)
        }
    }

    /// Removes images from the cached feed, which keeps its age, and with them their bytes.
    ///
    /// - Throws: The store's own error; the previous feed is then still there.
    public func remove(_ ids: Set<FeedImage.ID>) async throws {
        try await store.transaction { store in
            guard let feed = try store.retrieve(), feed.images.contains(where: { ids.contains($0.id) }) else { return }
            try store.deleteCachedFeed()
            try store.insert(feed.images.filter { !ids.contains($0.id) }, timestamp: feed.timestamp)
        }
    }

    /// Deletes the cached feed if it has expired or cannot be read; keeps a fresh one.
    ///
    /// - Throws: The error of the deletion; the previous feed is then still there.
    public func removeInvalidCache() async throws {
        try await store.transaction { [now, policy] store in
            let isValid: Bool
            do {
                isValid = try store.retrieve().map { policy.isFresh($0.timestamp, at: now()) } ?? true
            } catch {
                // An unreadable feed does not become readable by waiting.
                isValid = false
            }
            if !isValid { try store.deleteCachedFeed() }
        }
    }
}

/// A page was loaded while a command changed the feed or cleared the cache, and was not saved.
public struct InvalidatedLoad: Error, CustomStringConvertible {
    /// The reason, as in "could not be saved: …".
    public let description = "the feed was changed, or its cache cleared, while the page was loading"
}

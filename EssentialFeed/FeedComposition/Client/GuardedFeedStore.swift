import DuetCaching
import FeedCache
import Foundation

/// Refuses changes by a load whose value was invalidated.
///
/// A page that was loaded before "clear cache" is therefore not saved after it.
struct GuardedFeedStore: FeedStore {
    let store: any FeedStore

    func retrieve() async throws -> CachedFeed? {
        try await store.retrieve()
    }

    func retrieveTimestamp() async throws -> Date? {
        try await store.retrieveTimestamp()
    }

    func retrieveCount() async throws -> Int? {
        try await store.retrieveCount()
    }

    func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        // The body runs on the store's thread, which does not know the load.
        let load = CacheLoad.current
        try await store.transaction { transaction in
            guard load?.isInvalidated != true else { throw InvalidatedLoad() }
            try body(transaction)
        }
    }
}

/// A page was loaded while a command changed the feed or cleared the cache, and was not saved.
struct InvalidatedLoad: Error, CustomStringConvertible {
    let description = "the feed was changed, or its cache cleared, while the page was loading"
}

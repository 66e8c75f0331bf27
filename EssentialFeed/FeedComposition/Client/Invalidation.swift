package import FeedCache
import FeedFeature
import Foundation
import Synchronization

/// Keeps a load that began before an invalidation ended from being saved after it.
package final class Invalidation: Sendable {
    private let generation = Mutex(0)

    package init() {}

    fileprivate var current: Int { generation.withLock { $0 } }

    /// Makes every load stale that has begun before.
    ///
    /// Call it before what is invalid is deleted.
    package func begin() {
        generation.withLock { $0 += 1 }
    }

    /// The store as a load that begins now may use it: after the next invalidation it takes nothing more.
    package func guarding(_ store: any FeedStore) -> any FeedStore {
        GuardedFeedStore(store: store, invalidation: self, generation: current)
    }
}

/// A load's result came after the cache was cleared, and was not saved.
package struct CacheClearedMeanwhile: Error, CustomStringConvertible {
    package let description = "the cache was cleared while the feed was loading"
}

/// Asks within the transaction whether it still may: before the deletion, or not at all.
private struct GuardedFeedStore: FeedStore {
    let store: any FeedStore
    let invalidation: Invalidation
    let generation: Int

    func deleteCachedFeed() async throws {
        try await transaction { try $0.deleteCachedFeed() }
    }

    func insert(_ images: [FeedImage], timestamp: Date) async throws {
        try await transaction { try $0.insert(images, timestamp: timestamp) }
    }

    func retrieve() async throws -> CachedFeed? {
        try await store.retrieve()
    }

    func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await store.transaction { [invalidation, generation] transaction in
            guard invalidation.current == generation else { throw CacheClearedMeanwhile() }
            try body(transaction)
        }
    }
}

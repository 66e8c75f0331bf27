package import FeedCache
import FeedFeature
import Foundation
import Synchronization

/// Keeps a load that began before an invalidation ended from being saved after it.
package final class Invalidation: Sendable {
    private struct State {
        var generation = 0
        var running = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes every load stale that began before `work`, which deletes what is invalid, has ended.
    ///
    /// - Throws: What `work` throws.
    package func run(_ work: () async throws -> Void) async throws {
        state.withLock { state in
            state.generation += 1
            state.running += 1
        }
        defer { state.withLock { $0.running -= 1 } }
        try await work()
    }

    /// The store as a load that begins now may use it: after the next invalidation it takes nothing more.
    package func guarding(_ store: any FeedStore) -> any FeedStore {
        let generation = state.withLock { $0.running == 0 ? $0.generation : nil }
        return GuardedFeedStore(store: store, invalidation: self, generation: generation)
    }

    fileprivate func isCurrent(_ generation: Int?) -> Bool {
        state.withLock { $0.generation == generation }
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
    /// When the load began; nil when that was in the middle of an invalidation.
    let generation: Int?

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
            guard invalidation.isCurrent(generation) else { throw CacheClearedMeanwhile() }
            try body(transaction)
        }
    }
}

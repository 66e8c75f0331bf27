package import FeedCache
import FeedFeature
import Foundation
import Synchronization

/// Prevents a load that began before the end of an invalidation from saving its result afterwards.
package final class Invalidation: Sendable {
    private struct State {
        var generation = 0
        var running = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs `work`, which deletes the cache, and makes every load stale that begins before its end.
    ///
    /// - Throws: The error that `work` throws.
    package func run(_ work: () async throws -> Void) async throws {
        state.withLock { state in
            state.generation += 1
            state.running += 1
        }
        defer { state.withLock { $0.running -= 1 } }
        try await work()
    }

    /// Returns the store for a load that begins now; it refuses all changes after the next invalidation.
    package func guarding(_ store: any FeedStore) -> any FeedStore {
        let generation = state.withLock { $0.running == 0 ? $0.generation : nil }
        return GuardedFeedStore(store: store, invalidation: self, generation: generation)
    }

    fileprivate func isCurrent(_ generation: Int?) -> Bool {
        state.withLock { $0.generation == generation }
    }
}

/// A load ended after the cache was cleared, and its result was not saved.
package struct CacheClearedMeanwhile: Error, CustomStringConvertible {
    package let description = "the cache was cleared while the feed was loading"
}

/// Checks within each transaction that no invalidation has happened since the load began.
private struct GuardedFeedStore: FeedStore {
    let store: any FeedStore
    let invalidation: Invalidation
    /// The generation in which the load began; nil during an invalidation.
    let generation: Int?

    func retrieve() async throws -> CachedFeed? {
        try await store.retrieve()
    }

    func retrieveTimestamp() async throws -> Date? {
        try await store.retrieveTimestamp()
    }

    func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await store.transaction { [invalidation, generation] transaction in
            guard invalidation.isCurrent(generation) else { throw CacheClearedMeanwhile() }
            try body(transaction)
        }
    }
}

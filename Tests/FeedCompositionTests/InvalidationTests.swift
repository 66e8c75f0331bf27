import FeedCache
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Testing

@Suite struct InvalidationTests {
    private let invalidation = Invalidation()
    private let store = InMemoryFeedStore()
    private let feed = [FeedImage.fixture(1), FeedImage.fixture(2)]
    private let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

    @Test func `a load that began before an invalidation saves nothing after it`() async throws {
        let loader = loader()
        try await invalidation.run { try await store.deleteCachedFeed() }
        await #expect(throws: CacheClearedMeanwhile.self) { try await loader.save(feed) }
        #expect(try await store.retrieve() == nil)
    }

    @Test func `a load that began during an invalidation saves nothing, neither then nor after it`() async throws {
        var during: LocalFeedLoader?
        try await invalidation.run {
            let loader = loader()
            await #expect(throws: CacheClearedMeanwhile.self) { try await loader.save(feed) }
            during = loader
        }
        await #expect(throws: CacheClearedMeanwhile.self) { try await during?.save(feed) }
        #expect(try await store.retrieve() == nil)
    }

    @Test func `an invalidation that fails ends all the same`() async throws {
        await #expect(throws: Fault.self) { try await invalidation.run { throw Fault("locked") } }
        try await loader().save(feed)
        #expect(try await store.retrieve()?.images == feed)
    }

    @Test func `a load that begins after an invalidation saves as ever`() async throws {
        try await invalidation.run {}
        let loader = loader()
        try await loader.save(feed)
        #expect(try await store.retrieve() == CachedFeed(images: feed, timestamp: now))
    }

    @Test func `each step of a stale load is refused, and reading goes on`() async throws {
        try await store.insert(feed, timestamp: now)
        let guarded = invalidation.guarding(store)
        try await invalidation.run {}
        await #expect(throws: CacheClearedMeanwhile.self) { try await guarded.deleteCachedFeed() }
        await #expect(throws: CacheClearedMeanwhile.self) { try await guarded.insert([], timestamp: now) }
        #expect(try await guarded.retrieve() == CachedFeed(images: feed, timestamp: now))
    }

    /// The loader for a load that begins now.
    private func loader() -> LocalFeedLoader {
        LocalFeedLoader(
            store: invalidation.guarding(store),
            policy: FeedCachePolicy(calendar: Calendar(identifier: .gregorian)),
            now: { [now] in now }
        )
    }
}

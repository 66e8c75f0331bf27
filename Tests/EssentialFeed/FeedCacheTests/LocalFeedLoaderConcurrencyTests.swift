import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Synchronization
import Testing

struct LocalFeedLoaderConcurrencyTests {
    private let expired = Date.fixture - 8 * 24 * 60 * 60

    @Test func `a save between the steps of removing an invalid cache is not lost`() async throws {
        let mine = InMemoryFeedStore()
        let other = LocalFeedLoader(store: mine, policy: .fixture) { .fixture }
        try await mine.insert(FeedImage.fixtures(0..<2), timestamp: expired)

        // The loader reads the time after it has retrieved the feed; the save then begins.
        let save = Mutex<Task<Void, any Error>?>(nil)
        let loader = LocalFeedLoader(store: mine, policy: .fixture) {
            save.withLock { $0 = Task { try await other.save(FeedImage.fixtures(5..<7)) } }
            return .fixture
        }
        try await loader.removeInvalidCache()
        try await save.withLock { $0 }?.value

        #expect(try await other.load().images == FeedImage.fixtures(5..<7))
    }

    @Test func `concurrent saves and removals leave a whole feed`() async throws {
        let store = InMemoryFeedStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 1...8 {
                let loader = LocalFeedLoader(store: store, policy: .fixture) { .fixture }
                group.addTask {
                    for _ in 0..<5 {
                        try await loader.save(FeedImage.fixtures(n..<n + n))
                        try await loader.removeInvalidCache()
                    }
                }
            }
            try await group.waitForAll()
        }

        let images = try #require(await store.retrieve()).images
        #expect((1...8).contains { images == FeedImage.fixtures($0..<$0 + $0) })
    }
}

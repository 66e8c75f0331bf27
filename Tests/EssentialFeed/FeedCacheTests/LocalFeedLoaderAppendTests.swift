import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct LocalFeedLoaderAppendTests {
    private let saved = Date.fixture - 60
    private let feed = FeedImage.fixtures(0..<3)
    private let page = FeedImage.fixtures(3..<5)

    @Test func `a page is appended in one transaction, without reading the feed`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(page, after: .fixture(2), savedAt: saved)

        #expect(store.messages == [.retrieveTimestamp, .contains(.fixture(2)), .append(page)])
        #expect(store.outcomes == [.committed])
    }

    @Test func `known images and duplicates are skipped`() async throws {
        let store = InMemoryFeedStore()
        try await store.insert(feed, timestamp: saved)

        try await loader(store).append([feed[1], page[0], page[0], page[1]], after: .fixture(2), savedAt: saved)

        #expect(try await store.retrieve() == CachedFeed(images: feed + page, timestamp: saved))
    }

    @Test func `an empty page does not begin a transaction`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append([], after: .fixture(2), savedAt: saved)

        #expect(store.messages == [])
        #expect(store.outcomes == [])
    }

    @Test(arguments: [Date.fixture - 60.000_001, .fixture - 59.999_999, .fixture])
    func `a page of a feed saved at another time is dropped`(savedAt: Date) async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(page, after: .fixture(2), savedAt: savedAt)

        #expect(store.messages == [.retrieveTimestamp])
    }

    @Test func `a page after a missing image is dropped`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(page, after: .fixture(3), savedAt: saved)

        #expect(store.messages == [.retrieveTimestamp, .contains(.fixture(3))])
    }

    @Test func `a page for an empty cache is dropped`() async throws {
        let store = FeedStoreSpy(retrieval: .success(nil))

        try await loader(store).append(page, after: .fixture(2), savedAt: saved)

        #expect(store.messages == [.retrieveTimestamp])
    }

    @Test func `appending rethrows the store's errors`() async {
        let error = AnyError()
        let cached = CachedFeed(images: feed, timestamp: saved)
        let unreadable = FeedStoreSpy(retrieval: .failure(error))
        let full = FeedStoreSpy(retrieval: .success(cached), insertionError: error)

        for store in [unreadable, full] {
            await #expect(throws: error) {
                try await loader(store).append(page, after: .fixture(2), savedAt: saved)
            }
            #expect(store.outcomes == [.rolledBack])
        }
    }

    private func loader(_ store: any FeedStore) -> LocalFeedLoader {
        LocalFeedLoader(store: store, policy: .fixture) { .fixture }
    }
}

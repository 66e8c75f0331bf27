import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct LocalFeedLoaderAppendTests {
    private let saved = Date.fixture - 60
    private let feed = FeedImage.fixtures(0..<3)
    private let page = FeedImage.fixtures(3..<5)

    @Test func `a page is added with the feed's own timestamp, in one transaction`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(page, after: .fixture(2), savedAt: saved)

        #expect(store.messages == [.retrieve, .insert(feed + page, saved)])
        #expect(store.outcomes == [.committed])
    }

    @Test func `images that are there already are left out, and so are those that come twice`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append([feed[1], page[0], page[0], page[1]], after: .fixture(2), savedAt: saved)

        #expect(store.messages == [.retrieve, .insert(feed + page, saved)])
    }

    @Test func `a page that adds nothing writes nothing`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(feed, after: .fixture(2), savedAt: saved)
        try await loader(store).append([], after: .fixture(2), savedAt: saved)

        #expect(store.messages == [.retrieve, .retrieve])
    }

    @Test(arguments: [Date.fixture - 60.000_001, .fixture - 59.999_999, .fixture])
    func `a page of a feed saved at another time is dropped`(savedAt: Date) async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(page, after: .fixture(2), savedAt: savedAt)

        #expect(store.messages == [.retrieve])
    }

    @Test func `a page that follows an image that is not there is dropped`() async throws {
        let store = FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved)))

        try await loader(store).append(page, after: .fixture(3), savedAt: saved)

        #expect(store.messages == [.retrieve])
    }

    @Test func `a page for an empty cache is dropped`() async throws {
        let store = FeedStoreSpy(retrieval: .success(nil))

        try await loader(store).append(page, after: .fixture(2), savedAt: saved)

        #expect(store.messages == [.retrieve])
    }

    @Test func `the store's errors are passed on`() async {
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

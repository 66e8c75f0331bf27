import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct LocalFeedLoaderTests {
    private let feed = FeedImage.fixtures(0..<3)
    private let now = Date.fixture
    private let error = AnyError("the store's error")

    // MARK: Creation

    @Test func `a new loader sends the store nothing`() {
        let store = FeedStoreSpy()
        _ = loader(store)

        #expect(store.messages == [])
        #expect(store.outcomes == [])
    }

    // MARK: Saving

    @Test func `saving deletes, then inserts with the time, in one transaction`() async throws {
        let store = FeedStoreSpy()

        try await loader(store).save(feed)

        #expect(store.messages == [.deleteCachedFeed, .insert(feed, now)])
        #expect(store.outcomes == [.committed])
    }

    @Test func `saving inserts nothing when the deletion fails`() async {
        let store = FeedStoreSpy(deletionError: error)

        await #expect(throws: error) { try await loader(store).save(feed) }

        #expect(store.messages == [.deleteCachedFeed])
        #expect(store.outcomes == [.rolledBack])
    }

    @Test func `the deletion is undone when the insertion fails`() async {
        let store = FeedStoreSpy(insertionError: error)

        await #expect(throws: error) { try await loader(store).save(feed) }

        #expect(store.messages == [.deleteCachedFeed, .insert(feed, now)])
        #expect(store.outcomes == [.rolledBack])
    }

    // MARK: Loading

    @Test func `loading rethrows the store's error`() async {
        let store = FeedStoreSpy(retrieval: .failure(error))

        await #expect(throws: error) { try await loader(store).load() }

        #expect(store.messages == [.retrieve])
    }

    @Test func `an empty cache delivers no images`() async throws {
        let store = FeedStoreSpy(retrieval: .success(nil))

        #expect(try await loader(store).load() == FeedPage(images: [], source: .nowhere))
        #expect(store.messages == [.retrieve])
    }

    @Test func `a fresh cache delivers its images and the time of the save`() async throws {
        let (store, saved) = store(age: maximumAge - 1)

        #expect(try await loader(store).load() == FeedPage(images: feed, source: .cache(savedAt: saved)))
        #expect(store.messages == [.retrieve])
    }

    @Test(arguments: [0.0, 1, 1_000_000_000])
    func `an expired cache delivers no images and is not changed`(seconds: Double) async throws {
        let (store, _) = store(age: maximumAge + seconds)

        #expect(try await loader(store).load() == FeedPage(images: [], source: .nowhere))
        #expect(store.messages == [.retrieve])
    }

    @Test func `a cache from the future delivers no images`() async throws {
        let (store, _) = store(age: -1)

        #expect(try await loader(store).load() == FeedPage(images: [], source: .nowhere))
        #expect(store.messages == [.retrieve])
    }

    // MARK: Timestamp

    @Test func `the date of a fresh cache is read without its images`() async throws {
        let (store, saved) = store(age: maximumAge - 1)

        #expect(try await loader(store).savedAt() == saved)
        #expect(store.messages == [.retrieveTimestamp])
    }

    @Test(arguments: [0.0, 1, 1_000_000_000])
    func `an expired cache has no date`(seconds: Double) async throws {
        let (store, _) = store(age: maximumAge + seconds)

        #expect(try await loader(store).savedAt() == nil)
        #expect(store.messages == [.retrieveTimestamp])
    }

    @Test func `an empty cache and one from the future have no date`() async throws {
        #expect(try await loader(FeedStoreSpy(retrieval: .success(nil))).savedAt() == nil)
        #expect(try await loader(store(age: -1).0).savedAt() == nil)
    }

    @Test func `reading the date rethrows the store's error`() async {
        await #expect(throws: error) { try await loader(FeedStoreSpy(retrieval: .failure(error))).savedAt() }
    }

    // MARK: Removing an invalid cache

    @Test func `an unreadable cache is deleted`() async throws {
        let store = FeedStoreSpy(retrieval: .failure(error))

        try await loader(store).removeInvalidCache()

        #expect(store.messages == [.retrieve, .deleteCachedFeed])
        #expect(store.outcomes == [.committed])
    }

    @Test func `an unreadable cache that cannot be deleted throws the deletion's error`() async {
        let deletionError = AnyError("the deletion's error")
        let store = FeedStoreSpy(retrieval: .failure(error), deletionError: deletionError)

        await #expect(throws: deletionError) { try await loader(store).removeInvalidCache() }

        #expect(store.messages == [.retrieve, .deleteCachedFeed])
        #expect(store.outcomes == [.rolledBack])
    }

    @Test func `an empty cache is not changed`() async throws {
        let store = FeedStoreSpy(retrieval: .success(nil))

        try await loader(store).removeInvalidCache()

        #expect(store.messages == [.retrieve])
    }

    @Test func `a fresh cache is not deleted`() async throws {
        let (store, _) = store(age: maximumAge - 1)

        try await loader(store).removeInvalidCache()

        #expect(store.messages == [.retrieve])
    }

    @Test(arguments: [0.0, 1, 1_000_000_000])
    func `an expired cache is deleted`(seconds: Double) async throws {
        let (store, _) = store(age: maximumAge + seconds)

        try await loader(store).removeInvalidCache()

        #expect(store.messages == [.retrieve, .deleteCachedFeed])
        #expect(store.outcomes == [.committed])
    }

    @Test func `a cache from the future is deleted`() async throws {
        let (store, _) = store(age: -1)

        try await loader(store).removeInvalidCache()

        #expect(store.messages == [.retrieve, .deleteCachedFeed])
    }

    @Test func `an expired cache that cannot be deleted throws the deletion's error`() async {
        let cached = CachedFeed(images: feed, timestamp: now - maximumAge)
        let store = FeedStoreSpy(retrieval: .success(cached), deletionError: error)

        await #expect(throws: error) { try await loader(store).removeInvalidCache() }

        #expect(store.messages == [.retrieve, .deleteCachedFeed])
        #expect(store.outcomes == [.rolledBack])
    }

    // MARK: -

    private let maximumAge: TimeInterval = 7 * 24 * 60 * 60

    private func store(age: TimeInterval) -> (FeedStoreSpy, savedAt: Date) {
        let saved = now - age
        return (FeedStoreSpy(retrieval: .success(CachedFeed(images: feed, timestamp: saved))), saved)
    }

    private func loader(_ store: any FeedStore) -> LocalFeedLoader {
        LocalFeedLoader(store: store, policy: .fixture) { .fixture }
    }
}

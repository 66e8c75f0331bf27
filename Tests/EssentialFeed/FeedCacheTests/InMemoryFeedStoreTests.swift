import FeedCache
import FeedTesting
import Testing

struct InMemoryFeedStoreTests {
    private let store = InMemoryFeedStore()

    @Test(arguments: FeedStoreContract.allCases)
    func `it passes the contract of feed stores`(clause: FeedStoreContract) async throws {
        try await clause.verify { store }
    }

    @Test(arguments: FeedImageDataStoreContract.allCases)
    func `it passes the contract of image data stores`(clause: FeedImageDataStoreContract) async throws {
        try await clause.verify { store }
    }
}

import FeedCache
import FeedTesting
import Testing

struct InMemoryFeedStoreTests {
    private let store = InMemoryFeedStore()

    @Test(arguments: FeedStoreContract.allCases)
    func `it keeps the contract of feed stores`(clause: FeedStoreContract) async throws {
        try await clause.verify { store }
    }

    @Test(arguments: FeedImageDataStoreContract.allCases)
    func `it keeps the contract of stores of bytes`(clause: FeedImageDataStoreContract) async throws {
        try await clause.verify { store }
    }
}

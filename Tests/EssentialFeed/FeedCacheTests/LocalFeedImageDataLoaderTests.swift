import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct LocalFeedImageDataLoaderTests {
    private let url = URL.fixture(1)
    private let bytes = Data("bytes".utf8)

    @Test func `a new loader sends the store nothing`() {
        let store = FeedImageDataStoreSpy()
        _ = LocalFeedImageDataLoader(store: store)

        #expect(store.messages == [])
    }

    @Test func `stored bytes are delivered`() async throws {
        let store = FeedImageDataStoreSpy(retrieval: .success(bytes))

        #expect(try await LocalFeedImageDataLoader(store: store).loadImageData(from: url) == bytes)
        #expect(store.messages == [.retrieve(url)])
    }

    @Test(arguments: [nil, Data()])
    func `missing bytes are not found`(data: Data?) async throws {
        let store = FeedImageDataStoreSpy(retrieval: .success(data))

        let error = await #expect(throws: LocalImageDataError.self) {
            try await LocalFeedImageDataLoader(store: store).loadImageData(from: url)
        }
        guard case .notFound(url) = try #require(error) else {
            Issue.record("expected notFound, found \(String(describing: error))")
            return
        }
    }

    @Test func `a failing store is a failure with the store's error`() async throws {
        let store = FeedImageDataStoreSpy(retrieval: .failure(AnyError("disk")))

        let error = await #expect(throws: LocalImageDataError.self) {
            try await LocalFeedImageDataLoader(store: store).loadImageData(from: url)
        }
        guard case .failed(let underlying) = try #require(error) else {
            Issue.record("expected failed, found \(String(describing: error))")
            return
        }
        #expect(underlying as? AnyError == AnyError("disk"))
    }

    @Test func `saving inserts the bytes`() async throws {
        let store = FeedImageDataStoreSpy()

        try await LocalFeedImageDataLoader(store: store).save(bytes, for: url)

        #expect(store.messages == [.insert(bytes, url)])
    }

    @Test func `saving rethrows the store's error`() async {
        let store = FeedImageDataStoreSpy(insertionError: AnyError("disk"))

        await #expect(throws: AnyError("disk")) {
            try await LocalFeedImageDataLoader(store: store).save(bytes, for: url)
        }
    }
}

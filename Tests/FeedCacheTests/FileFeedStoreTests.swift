import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct FileFeedStoreTests {
    private let directory: TemporaryDirectory
    private let place: URL

    init() throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed")
    }

    @Test(arguments: FeedStoreContract.allCases)
    func `it passes the contract of feed stores`(clause: FeedStoreContract) async throws {
        try await clause.verify { try FileFeedStore(directory: place) }
    }

    @Test(arguments: FeedImageDataStoreContract.allCases)
    func `it passes the contract of image data stores`(clause: FeedImageDataStoreContract) async throws {
        try await clause.verify { try FileFeedStore(directory: place) }
    }

    @Test(arguments: FeedStoreFaultContract.allCases, [FaultyFileAccess.Kind.once, .fromThenOn])
    func `the cache stays whole whichever file operation fails`(
        clause: FeedStoreFaultContract,
        kind: FaultyFileAccess.Kind
    ) async throws {
        let failed = try await clause.verify(
            steps: 1...25,
            open: { try FileFeedStore(directory: $0.appending(component: "feed")) },
            openFaulty: { directory, step in
                let files = FaultyFileAccess()
                let store = try FileFeedStore(directory: directory.appending(component: "feed"), files: files)
                files.fail(kind, at: step)
                return FeedStoreFaultContract.Faulty(store, hasFailed: { files.hasFailed })
            }
        )

        #expect(failed.count >= 3)
        #expect(failed == Array(1...failed.count), "each operation failed once")
        #expect(failed.last != 25, "the last operation was reached")
    }

    @Test func `a process killed at any moment leaves a whole feed`() async throws {
        try await FeedStoreKillTest(.file) { try FileFeedStore(directory: $0) }
            .run(at: place, seed: .random(in: 0 ... .max))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a store locked by another process reports it after the timeout, and then works again`() async throws {
        let store = try FileFeedStore(directory: place, lockTimeout: .milliseconds(30))
        try await store.insert(FeedImage.fixtures(0..<2), timestamp: .fixture)
        let other = try FeedStoreWriterProcess.start(.hold, .file, at: place)
        #expect(try other.wait(forSteps: 1))

        let error = await #expect(throws: FeedStoreError.self) { try await store.deleteCachedFeed() }
        guard case .locked(place.path, after: .milliseconds(30)) = error else {
            Issue.record("expected locked, found \(String(describing: error))")
            return
        }
        #expect(throws: FeedStoreError.self) {
            try FileFeedStore.open(at: place, lockTimeout: .milliseconds(30))
        }

        try other.finish()
        #expect(try await store.retrieve()?.images == FeedImage.fixtures(0..<2))
        try await store.deleteCachedFeed()
        #expect(try await store.retrieve() == nil)
    }

    @Test func `the longest possible timeout is accepted`() async throws {
        let store = try FileFeedStore(directory: place, lockTimeout: .seconds(Int64.max))
        try await store.insert(FeedImage.fixtures(0..<2), timestamp: .fixture)
        #expect(try await store.retrieve()?.images == FeedImage.fixtures(0..<2))
    }

    @Test func `a folder that was removed meanwhile is made again`() async throws {
        let store = try FileFeedStore(directory: place)
        try await store.insert(FeedImage.fixtures(0..<2), timestamp: .fixture)
        try FileManager.default.removeItem(at: directory.url)

        #expect(try await store.retrieve() == nil)
        try await store.insert(FeedImage.fixtures(0..<2), timestamp: .fixture)
        try await store.insert(Data([1]), for: .fixture(0))
        #expect(try await store.retrieve(dataForURL: .fixture(0)) == Data([1]))
    }
}

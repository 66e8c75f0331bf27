import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

/// Damage to the files while the store is open.
struct FileFeedStoreDamageTests {
    private let directory: TemporaryDirectory
    private let place: URL
    private let store: FileFeedStore
    private let feed = FeedImage.fixtures(0..<3)

    init() throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed")
        store = try FileFeedStore(directory: place)
    }

    @Test func `a feed damaged later throws the same error twice, and is removed as invalid`() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try Data("garbage".utf8).write(to: feedFile)

        var descriptions: [String] = []
        for _ in 0..<2 {
            let error = await #expect(throws: FeedStoreError.self) { try await store.retrieve() }
            descriptions.append("\(try #require(error))")
        }
        #expect(descriptions[0] == descriptions[1])
        #expect(descriptions[0].contains(feedFile.path))
        await #expect(throws: FeedStoreError.self) { try await store.retrieve(dataForURL: .fixture(0)) }

        try await LocalFeedLoader(store: store, policy: .fixture) { .fixture }.removeInvalidCache()
        #expect(try await store.retrieve() == nil)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a pipe in place of the feed is an error, not an endless wait`() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try FileManager.default.removeItem(at: feedFile)
        try #require(unsafe mkfifo(feedFile.path, 0o600) == 0)

        await #expect(throws: FeedStoreError.self) { try await store.retrieve() }
    }

    @Test(arguments: [true, false])
    func `a damaged feed can be replaced`(isFolder: Bool) async throws {
        try await store.insert(feed, timestamp: .fixture)
        try FileManager.default.removeItem(at: feedFile)
        if isFolder {
            try FileManager.default.createDirectory(at: feedFile, withIntermediateDirectories: true)
        } else {
            try Data("garbage".utf8).write(to: feedFile)
        }

        try await LocalFeedLoader(store: store, policy: .fixture) { .fixture }.save(feed)

        #expect(try await store.retrieve() == CachedFeed(images: feed, timestamp: .fixture))
    }

    @Test func `a feed of a newer program is neither deleted nor replaced`() async throws {
        let newer = Data(#"{"version":3}"#.utf8)
        try newer.write(to: feedFile)

        await #expect(throws: FeedStoreError.self) { try await store.retrieve() }
        await #expect(throws: FeedStoreError.self) { try await store.deleteCachedFeed() }
        await #expect(throws: FeedStoreError.self) { try await store.insert(feed, timestamp: .fixture) }
        #expect(try Data(contentsOf: feedFile) == newer)
    }

    @Test func `damaged bytes throw an error, and can be replaced`() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try await store.insert(Data([1, 2, 3]), for: .fixture(0))
        let file = try #require(try imageFiles().first)
        try Data("garbage".utf8).write(to: file)

        let error = await #expect(throws: FeedStoreError.self) { try await store.retrieve(dataForURL: .fixture(0)) }
        #expect("\(try #require(error))".contains(file.path))

        try await store.insert(Data([4]), for: .fixture(0))
        #expect(try await store.retrieve(dataForURL: .fixture(0)) == Data([4]))
    }

    @Test func `bytes in a file that belongs to another URL are not delivered`() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try await store.insert(Data([0]), for: .fixture(0))
        let zero = try #require(try imageFiles().first)
        try await store.insert(Data([1]), for: .fixture(1))
        let one = try #require(try imageFiles().first { $0 != zero })
        try FileManager.default.removeItem(at: one)
        try FileManager.default.moveItem(at: zero, to: one)

        #expect(try await store.retrieve(dataForURL: .fixture(1)) == nil)
    }

    @Test func `leftover bytes do not return with a feed that has their URL`() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try await store.insert(Data([0]), for: .fixture(0))
        let file = try #require(try imageFiles().first)
        let bytes = try Data(contentsOf: file)
        try await store.insert(FeedImage.fixtures(1..<3), timestamp: .fixture)
        // As if the process had ended just before it dropped them.
        try bytes.write(to: file)

        #expect(try await store.retrieve(dataForURL: .fixture(0)) == nil)
        try await store.insert(feed, timestamp: .fixture)
        #expect(try await store.retrieve(dataForURL: .fixture(0)) == nil)
        #expect(try imageFiles() == [])
    }

    private var feedFile: URL { place.appending(component: "feed.json") }

    private func imageFiles() throws -> [URL] {
        let folder = place.appending(component: "images")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appending(component: $0) }
    }
}

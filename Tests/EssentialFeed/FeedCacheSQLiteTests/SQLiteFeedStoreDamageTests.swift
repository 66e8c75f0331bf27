import DuetSQLite
import FeedCache
import FeedCacheSQLite
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// Damage to the database while the store is open.
@Suite(.serialized) struct SQLiteFeedStoreDamageTests {
    private let directory: TemporaryDirectory
    private let place: URL
    private let store: SQLiteFeedStore
    private let feed = FeedImage.fixtures(0..<2_000)

    init() async throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed.sqlite")
        store = try await SQLiteFeedStore(url: place)
    }

    @Test func `garbage in the middle throws the same error twice, and is removed as invalid`() async throws {
        try await fillAndDamage()

        var descriptions: [String] = []
        for _ in 0..<2 {
            let error = await #expect(throws: SQLiteStoreError.self) { try await store.retrieve() }
            descriptions.append("\(try #require(error))")
        }
        #expect(descriptions[0] == descriptions[1])
        #expect(descriptions[0].contains(place.path))

        try await LocalFeedLoader(store: store, policy: .fixture) { .fixture }.removeInvalidCache()
        #expect(try await store.retrieve() == nil)
        try await store.insert(feed, timestamp: .fixture)
        #expect(try await SQLiteFeedStore(url: place).retrieve() == CachedFeed(images: feed, timestamp: .fixture))
    }

    @Test func `a damaged feed can be replaced`() async throws {
        try await fillAndDamage()

        try await LocalFeedLoader(store: store, policy: .fixture) { .fixture }.save(feed)

        #expect(try await store.retrieve() == CachedFeed(images: feed, timestamp: .fixture))
    }

    @Test func `a feed that is damaged at the next start is renamed and reported once, and begins again`() async throws
    {
        try await fillAndDamage()
        let next = directory.appending("next.sqlite")
        try FileManager.default.copyItem(at: place, to: next)
        let damaged = try Data(contentsOf: next)
        let losses = Mutex<[SQLiteStoreLoss]>([])

        for _ in 0..<2 {
            let store = try await SQLiteFeedStore(url: next, onLoss: { loss in losses.withLock { $0.append(loss) } })
            #expect(try await store.retrieve() == nil)
        }

        guard case .database(renamedTo: next.path + ".unreadable", reason: _)? = losses.withLock(\.first) else {
            Issue.record("expected database, found \(losses.withLock(\.self))")
            return
        }
        #expect(losses.withLock(\.count) == 1)
        #expect(try Data(contentsOf: URL(filePath: next.path + ".unreadable")) == damaged)
    }

    @Test func `damage that only a read of bytes finds is repaired at the next start`() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try await inDatabase { try $0.execute(sql: "DROP TABLE imageData") }
        await #expect(throws: SQLiteStoreError.self) { try await store.retrieve(dataForURL: .fixture(0)) }
        let next = directory.appending("next.sqlite")
        for suffix in ["", "-wal", ".lock"] {
            try FileManager.default.copyItem(atPath: place.path + suffix, toPath: next.path + suffix)
        }
        let losses = Mutex(0)

        let again = try await SQLiteFeedStore(url: next, onLoss: { _ in losses.withLock { $0 += 1 } })

        #expect(losses.withLock(\.self) == 1)
        try await again.insert(feed, timestamp: .fixture)
        try await again.insert(Data([1]), for: .fixture(0))
        #expect(try await again.retrieve(dataForURL: .fixture(0)) == Data([1]))
    }

    @Test func `a store that may not start over leaves a damaged file unchanged`() async throws {
        try await fillAndDamage()
        let next = directory.appending("next.sqlite")
        try FileManager.default.copyItem(at: place, to: next)
        let damaged = try Data(contentsOf: next)

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteFeedStore(url: next, startsOver: false)
        }

        guard case .damaged(next.path, reason: _) = error else {
            Issue.record("expected damaged, found \(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: next) == damaged)
    }

    @Test(arguments: [
        "id = x'00'", "id = 'text'", "id = 7", "url = ''", "url = x''", "description = x'FF'", "description = 1",
    ])
    func `values of another type are an error or a text, never a trap`(change: String) async throws {
        try await store.insert(feed, timestamp: .fixture)
        try await inDatabase { try $0.execute(sql: "UPDATE feedImage SET \(change) WHERE position = 5") }

        if change.hasPrefix("description") {
            #expect(try await store.retrieve()?.images.count == feed.count)
        } else {
            let error = await #expect(throws: SQLiteStoreError.self) { try await store.retrieve() }
            #expect("\(try #require(error))".contains("image 5"))
            try await LocalFeedLoader(store: store, policy: .fixture) { .fixture }.removeInvalidCache()
            #expect(try await store.retrieve() == nil)
        }
    }

    @Test func `a missing table throws an error`() async throws {
        try await inDatabase { try $0.execute(sql: "DROP TABLE feedImage") }

        await #expect(throws: SQLiteStoreError.self) { try await store.insert(feed, timestamp: .fixture) }
        try await LocalFeedLoader(store: store, policy: .fixture) { .fixture }.save(feed)
        #expect(try await store.retrieve()?.images == feed)
    }

    private func inDatabase(_ work: @escaping @Sendable (Database) throws -> Void) async throws {
        let other = try DatabaseQueue.other(at: place)
        try await other.writeWithoutTransaction(work)
        try other.close()
    }

    /// Overwrites pages in the middle of the feed's own table directly in the file.
    private func fillAndDamage() async throws {
        try await store.insert(feed, timestamp: .fixture)
        try await inDatabase { _ = try $0.checkpoint(.truncate) }
        let file = try FileHandle(forWritingTo: place)
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 2 / 4_096 * 4_096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 5 * 4_096))
        try file.close()
        // A commit of another connection invalidates the store's page cache.
        try await inDatabase { try $0.execute(sql: "UPDATE feed SET timestamp = timestamp") }
    }
}

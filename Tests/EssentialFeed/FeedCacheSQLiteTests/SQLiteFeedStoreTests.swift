import DuetSQLite
import FeedCache
import FeedCacheSQLite
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

@Suite(.serialized) struct SQLiteFeedStoreTests {
    private let directory: TemporaryDirectory
    private let place: URL

    init() throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed.sqlite")
    }

    @Test(arguments: FeedStoreContract.allCases)
    func `it passes the contract of feed stores`(clause: FeedStoreContract) async throws {
        try await clause.verify { try await SQLiteFeedStore(url: place) }
    }

    @Test(arguments: FeedImageDataStoreContract.allCases)
    func `it passes the contract of image data stores`(clause: FeedImageDataStoreContract) async throws {
        try await clause.verify { try await SQLiteFeedStore(url: place) }
    }

    @Test func `saving the images that are there writes only their timestamp`() async throws {
        let store = try await SQLiteFeedStore(url: place)
        let (feed, later) = (FeedImage.fixtures(0..<100), Date.fixture + 60)
        try await store.insert(feed, timestamp: .fixture)
        try await store.insert(Data([1]), for: .fixture(0))
        let other = try await notingChanges()
        let loader = LocalFeedLoader(store: store, policy: FeedCachePolicy(calendar: Calendar(identifier: .gregorian)))
        { later }

        try await loader.save(feed)

        let changes = try await other.read { try String.fetchAll($0, sql: "SELECT row FROM change") }
        #expect(changes == ["UPDATE feed"])
        #expect(try await store.retrieve() == CachedFeed(images: feed, timestamp: later))
        #expect(try await store.retrieve(dataForURL: .fixture(0)) == Data([1]))
    }

    @Test func `appending a page writes only its new rows`() async throws {
        let store = try await SQLiteFeedStore(url: place)
        try await store.insert(FeedImage.fixtures(0..<1_000), timestamp: .fixture)
        for n in 0..<3 { try await store.insert(Data([UInt8(n)]), for: .fixture(n)) }
        let other = try await notingChanges()

        try await store.append(FeedImage.fixtures(995..<1_005))

        let changes = try await other.read { try String.fetchAll($0, sql: "SELECT row FROM change") }
        #expect(changes == Array(repeating: "INSERT feedImage", count: 5))
        let images = FeedImage.fixtures(0..<1_005)
        #expect(try await store.retrieve() == CachedFeed(images: images, timestamp: .fixture))
        for n in 0..<3 { #expect(try await store.retrieve(dataForURL: .fixture(n)) == Data([UInt8(n)])) }
    }

    @Test func `appending finds ids through the index`() async throws {
        _ = try await SQLiteFeedStore(url: place)
        let plan = try await DatabaseQueue.other(at: place).read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN SELECT 1 FROM feedImage WHERE id = x'00'")
                .map { try $0.decode(String.self, forColumn: "detail") }
        }
        #expect(plan.joined().contains("USING COVERING INDEX feedImageID"), "\(plan)")
    }

    @Test func `a process killed at any moment leaves a whole feed`() async throws {
        try await FeedStoreKillTest { try await SQLiteFeedStore(url: $0) }
            .run(at: place, seed: .random(in: 0 ... .max))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a store locked by another process reports it after the timeout, and then works again`() async throws {
        let store = try await SQLiteFeedStore(url: place, busyTimeout: .milliseconds(30))
        try await store.insert(FeedImage.fixtures(0..<2), timestamp: .fixture)
        let other = try FeedStoreWriterProcess.start(.hold, at: place)
        #expect(try other.wait(forSteps: 1))

        let error = await #expect(throws: SQLiteStoreError.self) { try await store.deleteCachedFeed() }
        guard case .locked(place.path, after: .milliseconds(30)) = error else {
            Issue.record("expected locked, found \(String(describing: error))")
            return
        }
        // In WAL mode, others can read at the same time.
        #expect(try await store.retrieve()?.images == FeedImage.fixtures(0..<2))

        try other.finish()
        try await store.deleteCachedFeed()
        #expect(try await store.retrieve() == nil)
    }

    @Test func `the longest possible timeout is accepted`() async throws {
        let store = try await SQLiteFeedStore(url: place, busyTimeout: .seconds(Int64.max))
        try await store.insert(FeedImage.fixtures(0..<2), timestamp: .fixture)
        #expect(try await store.retrieve()?.images == FeedImage.fixtures(0..<2))
    }

    @Test func `a database locked by another process is not renamed`() async throws {
        _ = try await SQLiteFeedStore(url: place)
        let other = try DatabaseQueue.other(at: place)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM feed")
        }
        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteFeedStore(url: place, busyTimeout: .milliseconds(30))
        }
        guard case .locked(place.path, after: .milliseconds(30)) = error else {
            Issue.record("expected locked, found \(String(describing: error))")
            return
        }
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    }

    @Test(.timeLimit(.minutes(5)))
    func `eight processes that create one file at the same time all save in it`() async throws {
        for round in 1...3 {
            let place = directory.appending("\(round).sqlite")
            let processes = try (0..<8).map { _ in try FeedStoreWriterProcess.start(.save, at: place) }
            for process in processes { #expect(try process.wait(forSteps: 1)) }
            for process in processes { try process.finish() }
            let store = try await SQLiteFeedStore(url: place, onLoss: { Issue.record("\($0)") })
            #expect(try await store.retrieve() == GeneratedFeed(1).feed)
        }
    }

    @Test func `instances that open a new file concurrently all find the schema`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<6 {
                group.addTask { [place] in
                    let store = try await SQLiteFeedStore(url: place)
                    try await store.insert(FeedImage.fixtures(0..<n), timestamp: .fixture)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await SQLiteFeedStore(url: place).retrieve() != nil)
    }

    /// Returns a connection to the database, whose table `change` has a row for each one that a store writes from now.
    private func notingChanges() async throws -> DatabaseQueue {
        let other = try DatabaseQueue.other(at: place)
        try await other.write { database in
            try database.execute(sql: "CREATE TABLE change (row TEXT)")
            for table in ["feed", "feedImage", "imageData"] {
                for event in ["INSERT", "UPDATE", "DELETE"] {
                    try database.execute(
                        sql: """
                            CREATE TRIGGER \(table)\(event) AFTER \(event) ON \(table)
                            BEGIN INSERT INTO change VALUES ('\(event) \(table)'); END
                            """
                    )
                }
            }
        }
        return other
    }
}

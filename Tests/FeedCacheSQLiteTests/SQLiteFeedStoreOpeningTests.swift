import FeedCache
import FeedCacheSQLite
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

@Suite(.serialized) struct SQLiteFeedStoreOpeningTests {
    private let directory: TemporaryDirectory
    private let place: URL
    private let feed = CachedFeed(images: FeedImage.fixtures(0..<500), timestamp: .fixture)

    init() throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed.sqlite")
    }

    @Test func `missing folders are created`() async throws {
        let opened = try SQLiteFeedStore.open(at: directory.appending("a").appending(components: "b", "feed.sqlite"))

        #expect(opened.setAside == nil)
        #expect(try await opened.store.retrieve() == nil)
    }

    @Test func `a valid store is not set aside`() async throws {
        try await fill()

        let opened = try SQLiteFeedStore.open(at: place)

        #expect(opened.setAside == nil)
        #expect(try await opened.store.retrieve() == feed)
        #expect(try await opened.store.retrieve(dataForURL: .fixture(0)) == Data([1, 2, 3]))
    }

    @Test func `a folder that cannot be created is named`() throws {
        try Data().write(to: directory.appending("file"))
        let place = directory.appending("file").appending(components: "folder", "feed.sqlite")

        for open in [{ _ = try SQLiteFeedStore(url: place) }, { _ = try SQLiteFeedStore.open(at: place) }] {
            let error = #expect(throws: FeedStoreError.self) { try open() }
            guard case .folderUnavailable(let path, _) = try #require(error) else {
                Issue.record("expected folderUnavailable, found \(String(describing: error))")
                return
            }
            #expect(path == place.deletingLastPathComponent().path)
        }
    }

    @Test func `a file that is not a database is set aside, with those beside it`() async throws {
        let garbage = Data(String(repeating: "garbage ", count: 1_000).utf8)
        try garbage.write(to: place)
        try Data("wal".utf8).write(to: directory.appending("feed.sqlite-wal"))

        let error = #expect(throws: FeedStoreError.self) { try SQLiteFeedStore(url: place) }
        guard case .unreadable(place.path, _) = error else {
            Issue.record("expected unreadable, found \(String(describing: error))")
            return
        }
        let opened = try SQLiteFeedStore.open(at: place)

        let setAside = try #require(opened.setAside)
        #expect(setAside.location.path == place.path + ".unreadable-1")
        #expect(try Data(contentsOf: setAside.location) == garbage)
        try await opened.store.insert(feed.images, timestamp: feed.timestamp)
        #expect(try await SQLiteFeedStore(url: place).retrieve() == feed)
    }

    @Test func `each store that is set aside has its own name`() throws {
        for n in 1...3 {
            try Data("garbage \(n), and long enough to be taken for a database's header".utf8).write(to: place)
            let setAside = try #require(try SQLiteFeedStore.open(at: place).setAside)
            #expect(setAside.location.lastPathComponent == "feed.sqlite.unreadable-\(n)")
            #expect(try String(contentsOf: setAside.location, encoding: .utf8).hasPrefix("garbage \(n)"))
            try FileManager.default.removeItem(at: place)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.path + suffix) }
        }
    }

    @Test func `a folder in place of the database is set aside`() async throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)

        let opened = try SQLiteFeedStore.open(at: place)

        #expect(opened.setAside != nil)
        #expect(try await opened.store.retrieve() == nil)
    }

    @Test(arguments: 1...16)
    func `a truncated database is set aside, or its remainder is whole`(sixteenths: Int) async throws {
        try await fill()
        let whole = try Data(contentsOf: place)
        try whole.prefix(whole.count * sixteenths / 16 - 1).write(to: place)

        let opened = try SQLiteFeedStore.open(at: place)

        #expect(try await [nil, feed].contains(opened.store.retrieve()))
        try await opened.store.insert(feed.images, timestamp: feed.timestamp + 1)
        #expect(try await opened.store.retrieve()?.images == feed.images)
    }

    @Test func `a database of the first version is migrated with its content`() async throws {
        let database = try DatabaseQueue.other(at: place)
        try await database.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('v1');
                    CREATE TABLE feed (id INTEGER PRIMARY KEY CHECK (id = 1), timestamp REAL NOT NULL);
                    CREATE TABLE feedImage (
                        position INTEGER PRIMARY KEY, id BLOB NOT NULL, description TEXT, url TEXT NOT NULL
                    );
                    CREATE TABLE imageData (url TEXT PRIMARY KEY NOT NULL, data BLOB NOT NULL);
                    INSERT INTO feed VALUES (1, 721692800.12345678);
                    INSERT INTO feedImage VALUES
                        (0, x'f0010203040546070000000000000001', 'first', 'http://images.invalid/1'),
                        (1, x'f0010203040546070000000000000002', NULL, 'http://images.invalid/2'),
                        (2, x'f0010203040546070000000000000003', CAST(x'610062' AS TEXT), 'http://images.invalid/3');
                    INSERT INTO imageData VALUES ('http://images.invalid/2', x'010203');
                    """
            )
        }
        try database.close()

        let opened = try SQLiteFeedStore.open(at: place)

        #expect(opened.setAside == nil)
        let feed = try #require(await opened.store.retrieve())
        #expect(feed.timestamp == Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_78))
        #expect(feed.images.map(\.id) == [.fixture(1), .fixture(2), .fixture(3)])
        #expect(feed.images.map(\.description) == ["first", nil, "a\u{0}b"])
        #expect(feed.images.map(\.location) == [nil, nil, nil])
        #expect(try await opened.store.retrieve(dataForURL: feed.images[1].url) == Data([1, 2, 3]))
        try await opened.store.insert(self.feed.images, timestamp: .fixture)
        #expect(try await opened.store.retrieve() == self.feed)
    }

    @Test func `a database of a newer version is refused, and set aside by the opener`() async throws {
        try await fill()
        let database = try DatabaseQueue.other(at: place)
        try await database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v9: something else')") }
        try database.close()

        let error = #expect(throws: FeedStoreError.self) { try SQLiteFeedStore(url: place) }
        guard case .newerSchema(place.path, found: "v9: something else", supported: _) = error else {
            Issue.record("expected newerSchema, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("Update the program"))

        let opened = try SQLiteFeedStore.open(at: place)
        let setAside = try #require(opened.setAside)
        #expect(try await opened.store.retrieve() == nil)
        let kept = try DatabaseQueue.other(at: setAside.location)
        #expect(try await kept.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM feedImage") } == 500)
    }

    @Test func `a database of another program is set aside`() async throws {
        let database = try DatabaseQueue.other(at: place)
        try await database.write { try $0.execute(sql: "CREATE TABLE feed (title TEXT)") }
        try database.close()

        let opened = try SQLiteFeedStore.open(at: place)

        #expect(opened.setAside != nil)
        #expect(try await opened.store.retrieve() == nil)
    }

    /// Fills the database and checkpoints the write-ahead log, so that one file holds everything.
    private func fill() async throws {
        let store = try SQLiteFeedStore(url: place)
        try await store.insert(feed.images, timestamp: feed.timestamp)
        try await store.insert(Data([1, 2, 3]), for: .fixture(0))
        let other = try DatabaseQueue.other(at: place)
        try await other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try other.close()
    }
}

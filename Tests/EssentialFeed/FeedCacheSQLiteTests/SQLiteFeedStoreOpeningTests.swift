import DuetSQLite
import FeedCache
import FeedCacheSQLite
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

@Suite(.serialized) struct SQLiteFeedStoreOpeningTests {
    private let directory: TemporaryDirectory
    private let place: URL
    private let feed = CachedFeed(images: FeedImage.fixtures(0..<500), timestamp: .fixture)

    init() throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed.sqlite")
    }

    @Test func `missing folders are created, for their owner only, and so are the files`() async throws {
        let place = directory.appending("a").appending(components: "b", "feed.sqlite")
        let store = try await SQLiteFeedStore(url: place)

        try await store.insert(feed.images, timestamp: feed.timestamp)

        let files = FileManager.default
        for name in ["a", "a/b"] {
            let attributes = try files.attributesOfItem(atPath: directory.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o700, "\(name)")
        }
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try files.attributesOfItem(atPath: place.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test func `a database that was open to others is for its owner only from then on`() async throws {
        try await fill()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.path)

        let store = try await SQLiteFeedStore(url: place)

        let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        withExtendedLifetime(store) {}
    }

    @Test func `a valid store is opened with its content`() async throws {
        try await fill()

        let store = try await SQLiteFeedStore(url: place, onLoss: { Issue.record("\($0)") })

        #expect(try await store.retrieve() == feed)
        #expect(try await store.retrieve(dataForURL: .fixture(0)) == Data([1, 2, 3]))
    }

    @Test(arguments: ["feed", "feedImage", "imageData"])
    func `a store in which a table is a view is not read, and starts over`(table: String) async throws {
        try await fill()
        let other = try DatabaseQueue.other(at: place)
        try await other.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ALTER TABLE \(table) RENAME TO old;
                    CREATE VIEW \(table) AS
                        WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT old.* FROM old, r
                    """
            )
        }
        try other.close()
        let reason = "another program has added to it: CREATE VIEW \(table)"
        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteFeedStore(url: place, startsOver: false)
        }
        guard case .damaged(place.path, reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let losses = Mutex<[String]>([])
        let store = try await SQLiteFeedStore(url: place) { loss in losses.withLock { $0.append("\(loss)") } }
        #expect(losses.withLock { $0.count == 1 && $0.allSatisfy { $0.contains(reason) && $0.contains(place.path) } })
        #expect(try await store.retrieve() == nil)
    }

    @Test func `facts of an earlier version do not say whether an image moves`() async throws {
        try await fill()
        try await DatabaseQueue.other(at: place).write { db in
            let sql = "UPDATE feedImage SET facts = CAST(json_remove(CAST(facts AS TEXT), '$.isAnimated') AS BLOB)"
            try db.execute(sql: sql)
        }

        let images = try await SQLiteFeedStore(url: place).retrieve()?.images ?? []

        #expect(images.map(\.color) == feed.images.map(\.color))
        #expect(feed.images.contains(where: \.isAnimated) && !images.contains(where: \.isAnimated))
    }

    @Test(arguments: [#"{"versions":["abc",7,null,{}]}"#, #"{"versions":7}"#, "[", ""])
    func `damaged facts of an image do not keep the bytes of others out`(facts: String) async throws {
        let store = try await SQLiteFeedStore(url: place)
        let version = ImageVersion(width: 480, url: .fixture(9))
        let images = FeedImage.fixtures(0..<2) + [FeedImage(id: .fixture(2), versions: [version], url: .fixture(2))]
        try await store.insert(images, timestamp: .fixture)
        try await DatabaseQueue.other(at: place).write { db in
            try db.execute(
                sql: "UPDATE feedImage SET facts = CAST(? AS BLOB) WHERE position = 0",
                arguments: [facts]
            )
        }
        for url in [URL.fixture(1), .fixture(9)] {
            try await store.insert(Data([1]), for: url)
            #expect(try await store.retrieve(dataForURL: url) == Data([1]))
        }
        try await store.append(FeedImage.fixtures(5..<6))
        try await store.insert(Array(images.dropFirst()), timestamp: .fixture)
        #expect(try await store.retrieve(dataForURL: .fixture(9)) == Data([1]))
    }

    @Test func `an empty file becomes a database`() async throws {
        try Data().write(to: place)

        let store = try await SQLiteFeedStore(url: place, onLoss: { Issue.record("\($0)") })

        try await store.insert(feed.images, timestamp: feed.timestamp)
        #expect(try await store.retrieve() == feed)
    }

    @Test func `a folder that cannot be created is an error that names the file`() async throws {
        try Data().write(to: directory.appending("file"))
        let place = directory.appending("file").appending(components: "folder", "feed.sqlite")

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteFeedStore(url: place) }

        guard case .cannotOpen(place.path, _) = try #require(error) else {
            Issue.record("expected cannotOpen, found \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        Data("diary".utf8), Data(String(repeating: "garbage ", count: 1_000).utf8), Data([0xFF, 0xD8, 0xFF]),
        Data("SQLite format 3\u{0}".utf8), Data(count: 100_000),
    ])
    func `a file that is not a feed's database is refused and left unchanged`(content: Data) async throws {
        try content.write(to: place)
        try Data("wal".utf8).write(to: directory.appending("feed.sqlite-wal"))

        try await expectRefusal(because: "it is not an SQLite database")

        #expect(try Data(contentsOf: place) == content)
        #expect(try names == ["feed.sqlite", "feed.sqlite-wal"])
    }

    @Test func `a folder or a pipe in place of the database is refused, without waiting`() async throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try await expectRefusal(because: "it is not a regular file")
        try FileManager.default.removeItem(at: place)
        try #require(unsafe mkfifo(place.path, 0o600) == 0)
        try await expectRefusal(because: "it is not a regular file")
        #expect(try names == ["feed.sqlite"])
    }

    @Test(arguments: [
        "CREATE TABLE feed (title TEXT)",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1')",
        "PRAGMA application_id = 0x45464264", "PRAGMA user_version = 4",
    ])
    func `a database of another program is refused and left unchanged`(sql: String) async throws {
        let database = try DatabaseQueue.other(at: place)
        try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; \(sql)") }
        try database.close()
        let before = try Data(contentsOf: place)

        try await expectRefusal(because: "it is another program's database")

        #expect(try Data(contentsOf: place) == before)
        #expect(try names == ["feed.sqlite"])
    }

    @Test func `a link to another file is refused, and both stay`() async throws {
        let diary = directory.appending("diary.txt")
        try Data("diary".utf8).write(to: diary)
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: diary)

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteFeedStore(url: place) }

        #expect("\(try #require(error))".contains("is left unchanged"))
        #expect(try names == ["diary.txt", "feed.sqlite"])
    }

    @Test(arguments: 1...16)
    func `a database cut short is renamed, or its remainder is whole`(sixteenths: Int) async throws {
        try await fill()
        let whole = try Data(contentsOf: place)
        try whole.prefix(whole.count * sixteenths / 16 - 1).write(to: place)

        let store = try await SQLiteFeedStore(url: place)

        #expect(try await [nil, feed].contains(store.retrieve()))
        try await store.insert(feed.images, timestamp: feed.timestamp + 1)
        #expect(try await store.retrieve()?.images == feed.images)
    }

    @Test func `a damaged header is recognized by the number in it`() async throws {
        try await fill()
        var bytes = try Data(contentsOf: place)
        // The size of a page.
        bytes.replaceSubrange(16..<18, with: [0, 7])
        try bytes.write(to: place)
        let losses = Mutex(0)

        _ = try await SQLiteFeedStore(url: place, onLoss: { _ in losses.withLock { $0 += 1 } })

        #expect(losses.withLock(\.self) == 1)
        #expect(try Data(contentsOf: URL(filePath: place.path + ".unreadable")) == bytes)
    }

    @Test func `a user's file with the name of a renamed one is not replaced`() async throws {
        try await fill()
        try Data("diary".utf8).write(to: directory.appending("feed.sqlite.unreadable"))
        var bytes = try Data(contentsOf: place)
        bytes.replaceSubrange(16..<18, with: [0, 7])
        try bytes.write(to: place)

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteFeedStore(url: place) }

        #expect("\(try #require(error))".contains("is damaged"))
        #expect(try Data(contentsOf: directory.appending("feed.sqlite.unreadable")) == Data("diary".utf8))
        #expect(try Data(contentsOf: place) == bytes)
    }

    @Test func `a database of the first version is migrated with its content`() async throws {
        let database = try DatabaseQueue.other(at: place)
        try await database.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('v1');
                    PRAGMA application_id = \(0x4546_4361);
                    PRAGMA user_version = 1;
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

        let store = try await SQLiteFeedStore(url: place, onLoss: { Issue.record("\($0)") })

        let feed = try #require(await store.retrieve())
        #expect(feed.timestamp == Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_78))
        #expect(feed.images.map(\.id) == [.fixture(1), .fixture(2), .fixture(3)])
        #expect(feed.images.map(\.description) == ["first", nil, "a\u{0}b"])
        #expect(feed.images.map(\.location) == [nil, nil, nil])
        #expect(try await store.retrieve(dataForURL: feed.images[1].url) == Data([1, 2, 3]))
        try await store.insert(self.feed.images, timestamp: .fixture)
        #expect(try await store.retrieve() == self.feed)
        let version = try await DatabaseQueue.other(at: place).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        #expect(version == 5)
    }

    @Test func `a database of a newer version is refused and left unchanged`() async throws {
        try await fill()
        let database = try DatabaseQueue.other(at: place)
        try await database.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = 1000; PRAGMA journal_mode = DELETE")
        }
        try database.close()
        try FileManager.default.removeItem(atPath: place.path + ".lock")
        let before = try Data(contentsOf: place)

        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteFeedStore(url: place) }

        guard case .newerFormat(place.path, found: 1000, supported: 5) = error else {
            Issue.record("expected newerFormat, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("Update the program"))
        #expect(try Data(contentsOf: place) == before)
        #expect(try names == ["feed.sqlite"])
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
    }

    private func expectRefusal(because reason: String) async throws {
        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteFeedStore(url: place) }
        guard case .notOurs(place.path, reason: reason) = try #require(error) else {
            Issue.record("expected notOurs, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("It is left unchanged. Choose another path."))
    }

    /// Fills the database and checkpoints the write-ahead log, so that one file holds everything.
    private func fill() async throws {
        let store = try await SQLiteFeedStore(url: place)
        try await store.insert(feed.images, timestamp: feed.timestamp)
        try await store.insert(Data([1, 2, 3]), for: .fixture(0))
        let other = try DatabaseQueue.other(at: place)
        try await other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try other.close()
    }
}

import Duet
import DuetDependencies
import DuetSQLite
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

@testable import FeedBackend

/// Databases of earlier versions.
@Suite(.serialized) struct MigrationTests {
    private let folder: TemporaryDirectory
    private let path: String

    /// An image as earlier versions stored it: with metadata, on several pages of the file.
    private static let photograph = JPEGBytes.file(
        [
            JPEGBytes.segment(0xE1, "Exif\0\0", EXIFBytes.block(hasLocation: true)),
            JPEGBytes.segment(
                0xE1,
                "http://ns.adobe.com/xap/1.0/\0\(String(repeating: " ", count: 10_000))exif:GPSLatitude"
            ),
        ],
        trailing: [1]
    )

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("feed.sqlite")
    }

    /// Creates the tables of the third version, with three images, three comments, a removed image and a token.
    private func createThirdVersion() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1'), ('2'), ('3');
                    PRAGMA application_id = \(0x4546_4264);
                    PRAGMA user_version = 3;
                    CREATE TABLE image (
                        position INTEGER PRIMARY KEY AUTOINCREMENT,
                        id BLOB NOT NULL UNIQUE,
                        description TEXT,
                        location TEXT
                    );
                    CREATE TABLE image_bytes (
                        image INTEGER PRIMARY KEY REFERENCES image (position) ON DELETE CASCADE,
                        format TEXT NOT NULL,
                        bytes BLOB NOT NULL
                    );
                    CREATE TABLE removed_image (id BLOB PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE comment (
                        sequence INTEGER PRIMARY KEY,
                        id BLOB NOT NULL UNIQUE,
                        image INTEGER NOT NULL REFERENCES image (position) ON DELETE CASCADE,
                        message TEXT NOT NULL,
                        username TEXT NOT NULL,
                        created_at INTEGER NOT NULL
                    );
                    CREATE INDEX comment_of_image ON comment (image, created_at, sequence);
                    CREATE TABLE token (
                        hash TEXT PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        scopes TEXT NOT NULL,
                        created_at INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    INSERT INTO token VALUES ('\(AccessToken.test.hash)', 'test', 'publish', 0);
                    """
            )
            let texts: [(String?, String?)] = [("Un café", nil), (nil, "ΑΘΉΝΑ"), (nil, nil)]
            for (index, (description, location)) in texts.enumerated() {
                try db.execute(
                    sql: "INSERT INTO image (id, description, location) VALUES (?, ?, ?)",
                    arguments: [UUID.number(index + 1), description, location]
                )
                try db.execute(
                    sql: "INSERT INTO image_bytes VALUES (?, 'jpeg', ?)",
                    arguments: [index + 1, index == 0 ? Self.photograph : Data.tinyImage.dropLast()]
                )
            }
            try db.execute(sql: "INSERT INTO removed_image VALUES (?, 4)", arguments: [UUID.number(4)])
            try db.execute(sql: "UPDATE sqlite_sequence SET seq = 4 WHERE name = 'image'")
            for (id, image) in [(1, 1), (2, 2), (3, 2)] {
                try db.execute(
                    sql: "INSERT INTO comment (id, image, message, username, created_at) VALUES (?, ?, 'm', 'u', 0)",
                    arguments: [UUID.number(id), image]
                )
            }
        }
        try queue.close()
    }

    @Test func `an older database keeps its content, and can be searched`() async throws {
        try createThirdVersion()
        let backend = try await Container.backend(on: FeedDatabase(path: path))
        let dispatcher = try await backend.dispatcher
        #expect(try await dispatcher.dispatch(LoadFeed()).images.map(\.id) == .numbers(3, 2, 1))
        #expect(try await dispatcher.dispatch(LoadFeed(after: .number(4))).images.map(\.id) == .numbers(3, 2, 1))
        #expect(try await dispatcher.dispatch(LoadPublishedImageData(id: .number(1))).data == JPEGBytes.file())
        let incomplete = Data.tinyImage.dropLast()
        #expect(try await dispatcher.dispatch(LoadPublishedImageData(id: .number(2))).data == incomplete)
        #expect(try await dispatcher.dispatch(LoadImageComments(imageID: .number(2))).comments.count == 2)
        #expect(try await dispatcher.dispatch(LoadTokens()).map(\.name) == ["test"])
        #expect(try await dispatcher.dispatch(LoadRemovedImages()) == .numbers(4))

        let images = try await dispatcher.dispatch(SearchFeed(order: .mostCommented)).images
        #expect(images.map(\.id) == .numbers(2, 1, 3))
        #expect(images.map(\.commentCount) == [2, 1, 0])
        #expect(images.map(\.publishedAt) == [nil, nil, nil])
        #expect(try await dispatcher.dispatch(SearchFeed("CAFE")).images.map(\.id) == .numbers(1))
        #expect(try await dispatcher.dispatch(SearchFeed("αθηνα")).images.map(\.id) == .numbers(2))
    }

    @Test(arguments: ["Ann", "GPSLatitude"])
    func `the metadata of older images is overwritten in the file`(text: String) async throws {
        try createThirdVersion()
        let file = URL(filePath: path)
        #expect(try Data(contentsOf: file).range(of: Data(text.utf8)) != nil)
        try await FeedDatabase(path: path).dispose()
        #expect(try Data(contentsOf: file).range(of: Data(text.utf8)) == nil)
    }

    @Test func `changes of a migrated database are counted and dated`() async throws {
        try createThirdVersion()
        let backend = try await Container.backend(on: FeedDatabase(path: path))
        let dispatcher = try await backend.dispatcher
        try await dispatcher.dispatch(
            PostImageComment(id: .number(9), imageID: .number(3), message: "m", username: "u")
        )
        try await dispatcher.dispatch(RemoveImage(id: .number(2)))
        #expect(try await dispatcher.dispatch(LoadRemovedImages()) == .numbers(2, 4))
        try await dispatcher.dispatch(PublishImage(id: .number(5), description: "New", data: .tinyImage))
        let images = try await dispatcher.dispatch(SearchFeed(order: .mostCommented)).images
        #expect(images.map(\.id) == .numbers(3, 1, 5))
        #expect(images.map(\.publishedAt) == [nil, nil, TestBackend.now])
        let filter = FeedFilter(publishedSince: Date(timeIntervalSince1970: 0))
        #expect(try await dispatcher.dispatch(SearchFeed(filter: filter)).images.map(\.id) == .numbers(5))
    }

    @Test func `opening a migrated database again changes nothing`() async throws {
        try createThirdVersion()
        try await FeedDatabase(path: path).dispose()
        let backend = try await Container.backend(on: FeedDatabase(path: path))
        let images = try await backend.dispatcher.dispatch(SearchFeed(order: .mostCommented)).images
        #expect(images.map(\.commentCount) == [2, 1, 0])
    }

    @Test func `animations of an older database are found, and get a still version`() async throws {
        try createThirdVersion()
        let frames = [GIFBytes.control, GIFBytes.image(), GIFBytes.control, GIFBytes.image()]
        let images = [("gif", GIFBytes.file(frames)), ("gif", GIFBytes.file()), ("webp", WebPBytes.file())]
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            for (index, (format, data)) in images.enumerated() {
                let sql = "UPDATE image_bytes SET format = ?, bytes = ? WHERE image = ?"
                try db.execute(sql: sql, arguments: [format, data, index + 1])
            }
        }
        // The seventh version has tried all of them, and the small ones have no versions.
        try DatabaseMigrator.feed.migrate(queue, upTo: "7")
        try await queue.write { try $0.execute(sql: "UPDATE image_bytes SET attempts = NULL") }
        try queue.close()

        let database = try await FeedDatabase(path: path)
        let loaded = try await Container.backend(on: database).dispatcher.dispatch(LoadFeed()).images
        #expect(loaded.map(\.isAnimated) == [false, false, true])
        let waiting = try await database.connection.read { db in
            try Int.fetchAll(db, sql: "SELECT position FROM image WHERE attempts = 0")
        }
        #expect(waiting == [1])
    }
}

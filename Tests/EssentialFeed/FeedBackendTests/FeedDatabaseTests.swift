import Duet
import DuetDependencies
import DuetSQLite
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

@Suite(.serialized) struct FeedDatabaseTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func `missing folders of the path are created`() async throws {
        let database = try await FeedDatabase(path: folder.path("a/b/feed.sqlite"))
        let backend = try Container.backend(on: database)
        #expect(try await backend.dispatcher.dispatch(LoadFeed()).images == [])
        #expect(FileManager.default.fileExists(atPath: folder.path("a/b/feed.sqlite")))
    }

    /// SQLite reads all of a large value to reach what is behind it, and writes it again with each change of the row.
    @Test func `nothing is stored behind the bytes of images`() async throws {
        let path = folder.path("feed.sqlite")
        try await FeedDatabase(path: path).dispose()
        let last = try await DatabaseQueue(path: path).read { db in
            let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            return try tables.map { try db.columns(in: $0).map(\.name) }.filter { $0.contains("bytes") }.map(\.last)
        }
        #expect(last == ["bytes", "bytes"])
    }

    @Test func `stored content survives a restart`() async throws {
        let path = folder.path("feed.sqlite")
        let photograph = try Data.sample("clock.jpg")
        do {
            let backend = try await Container.backend(on: FeedDatabase(path: path))
            try await backend.dispatcher.dispatch(
                PublishImage(id: .number(1), description: "Clock", location: "Here", data: photograph)
            )
            try await backend.dispatcher.dispatch(
                PostImageComment(id: .number(2), imageID: .number(1), message: "Hm", username: "me")
            )
        }
        let backend = try await Container.backend(on: FeedDatabase(path: path), now: .distantFuture)
        let images = try await backend.dispatcher.dispatch(LoadFeed()).images
        #expect(images.map(\.id) == [.number(1)])
        #expect(images.map(\.description) == ["Clock"])
        #expect(images.map(\.location) == ["Here"])
        #expect(try await backend.dispatcher.dispatch(LoadPublishedImageData(id: .number(1))).data == photograph)
        let comments = try await backend.dispatcher.dispatch(LoadImageComments(imageID: .number(1))).comments
        #expect(
            comments == [ImageComment(id: .number(2), message: "Hm", createdAt: TestBackend.now, username: "me")]
        )
    }

    @Test func `an invalid row is an error, not a crash`() async throws {
        let path = folder.path("feed.sqlite")
        let backend = try await Container.backend(on: FeedDatabase(path: path))
        try await backend.dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
        try await backend.dispatcher.dispatch(
            PostImageComment(id: .number(2), imageID: .number(1), message: "Hm", username: "me")
        )
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "UPDATE comment SET id = x'00'") }
        await #expect(throws: RowDecodingError.self) {
            _ = try await backend.dispatcher.dispatch(LoadImageComments(imageID: .number(1)))
        }
        try await queue.write { try $0.execute(sql: "UPDATE image SET id = x'00'") }
        await #expect(throws: RowDecodingError.self) { _ = try await backend.dispatcher.dispatch(LoadFeed()) }
    }

    @Test func `two databases on one file see each other's images`() async throws {
        let path = folder.path("feed.sqlite")
        let one = try await Container.backend(on: FeedDatabase(path: path))
        let other = try await Container.backend(on: FeedDatabase(path: path))
        try await one.dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
        #expect(try await other.dispatcher.dispatch(IsImagePublished(id: .number(1))))
    }

    @Test func `a database in memory works like one in a file`() async throws {
        let backend = try Container.backend(on: .inMemory())
        try await backend.dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
        #expect(try await backend.dispatcher.dispatch(LoadFeed()).images.map(\.id) == [.number(1)])
    }

    @Test func `a file that is not a database is named and not changed`() async throws {
        let path = folder.path("feed.sqlite")
        let garbage = Data(repeating: 0x2A, count: 8_192)
        try garbage.write(to: URL(filePath: path))
        let error = await #expect(throws: SQLiteStoreError.self) { try await FeedDatabase(path: path) }
        guard case .notOurs(path, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(path) == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == garbage)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["feed.sqlite"])
    }

    @Test func `a path that leads through a file is named`() async throws {
        try Data().write(to: URL(filePath: folder.path("file")))
        let path = folder.path("file/feed.sqlite")
        let error = await #expect(throws: SQLiteStoreError.self) { try await FeedDatabase(path: path) }
        guard case .cannotOpen(path, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("Choose a file in a folder that this program can write to") == true)
    }

    @Test func `a folder in place of the file is named`() async throws {
        let error = await #expect(throws: SQLiteStoreError.self) { try await FeedDatabase(path: folder.url.path) }
        guard case .notOurs? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a newer schema is refused and not changed`() async throws {
        let path = folder.path("feed.sqlite")
        try await create(path) { try $0.execute(sql: "PRAGMA user_version = 1000") }
        let before = try Data(contentsOf: URL(filePath: path))
        let error = await #expect(throws: SQLiteStoreError.self) { try await FeedDatabase(path: path) }
        guard case .newerFormat(path, found: 1000, supported: _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a damaged database is an error, and is not renamed`() async throws {
        let path = folder.path("feed.sqlite")
        try await create(path)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        // The size of a page.
        try file.seek(toOffset: 16)
        try file.write(contentsOf: Data([0, 7]))
        try file.close()
        let before = try Data(contentsOf: URL(filePath: path))
        for _ in 0..<2 {
            let error = await #expect(throws: SQLiteStoreError.self) { try await FeedDatabase(path: path) }
            guard case .damaged(path, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
    }

    @Test(arguments: ["token", "image", "comment", "removed_image", "handled_command", "grdb_migrations"])
    func `a database in which a table is a view is an error, and is not read`(table: String) async throws {
        let path = folder.path("feed.sqlite")
        try await create(path) { db in
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = OFF; ALTER TABLE \(table) RENAME TO old;
                    CREATE VIEW \(table) AS
                        WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT old.* FROM old, r
                    """
            )
        }
        // Also before it is migrated.
        for isOld in [false, true] {
            let other = try DatabaseQueue(path: path)
            if isOld { try await other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 1") } }
            try other.close()
            let error = await #expect(throws: SQLiteStoreError.self) { try await FeedDatabase(path: path) }
            guard case .damaged(path, let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // A trigger of the table is that of the old one now.
            #expect(
                reason.wholeMatch(of: /another program has added to it: CREATE (TRIGGER comment_added|VIEW .*)/) != nil
            )
        }
        #expect(!FileManager.default.fileExists(atPath: path + ".unreadable"))
    }

    @Test func `the database and its folder are for their owner only, also one that was open to others`() async throws {
        let path = folder.path("backend/feed.sqlite")
        for _ in 0..<2 {
            let backend = try await Container.backend(on: FeedDatabase(path: path))
            try await backend.dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
            let files = FileManager.default
            for name in try files.contentsOfDirectory(atPath: folder.path("backend")) {
                let attributes = try files.attributesOfItem(atPath: folder.path("backend/\(name)"))
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            let attributes = try files.attributesOfItem(atPath: folder.path("backend"))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            await backend.dispose()
            try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        }
    }

    @Test func `a new file can be opened several times at the same moment`() async throws {
        for number in 1...10 {
            let path = folder.path("\(number).sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 { group.addTask { _ = try await FeedDatabase(path: path) } }
                try await group.waitForAll()
            }
        }
    }

    /// Creates a database whose bytes are all in its file, so that closing it does not change them.
    private func create(
        _ path: String,
        _ change: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) async throws {
        try await FeedDatabase(path: path).dispose()
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction {
            try change($0)
            _ = try $0.checkpoint(.truncate)
        }
        try queue.close()
    }
}

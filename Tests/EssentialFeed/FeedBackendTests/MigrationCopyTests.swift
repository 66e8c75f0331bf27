import FeedBackend
import FeedTesting
import Foundation
import GRDB
import Testing

/// The copy of a database before it is migrated.
@Suite(.serialized) struct MigrationCopyTests {
    private let folder: TemporaryDirectory
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("backend.sqlite")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    /// Gives the database an earlier version, with a note that its migration would not remove.
    private func age(to version: Int) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    PRAGMA user_version = \(version);
                    CREATE TABLE IF NOT EXISTS note (version INTEGER);
                    INSERT INTO note VALUES (\(version));
                    """
            )
        }
        try queue.close()
    }

    @Test func `a database is copied before its migration, and only the last copy is kept`() async throws {
        try await FeedDatabase(path: path).dispose()
        #expect(try names.filter { $0.contains("version") } == [], "a new database has nothing to copy")

        for version in [1, 2] {
            try age(to: version)
            try await FeedDatabase(path: path).dispose()

            let copy = folder.path("backend.sqlite.version-\(version)")
            #expect(try names.filter { $0.contains("version") } == ["backend.sqlite.version-\(version)"])
            let attributes = try FileManager.default.attributesOfItem(atPath: copy)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let queue = try DatabaseQueue(path: copy)
            #expect(try await queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == version)
            #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT MAX(version) FROM note") } == version)
        }
        try await FeedDatabase(path: path).dispose()
        #expect(try names.filter { $0.contains("version") } == ["backend.sqlite.version-2"], "it is current")
    }

    @Test func `a backup has its name only when it is complete`() async throws {
        let database = try await FeedDatabase(path: path)
        let (copy, new) = (folder.path("copy.sqlite"), folder.path("copy.sqlite.new"))
        try Data("a part of a copy".utf8).write(to: URL(filePath: new))
        let other = unsafe open(new, O_RDWR)
        #expect(other >= 0 && flock(other, LOCK_EX) == 0)
        await #expect(throws: POSIXError(.EWOULDBLOCK)) { try await database.copy(to: copy) }
        #expect(try names.filter { $0.hasPrefix("copy") } == ["copy.sqlite.new"])

        // As after the end of the program that wrote it.
        close(other)
        try await database.copy(to: copy)
        #expect(try names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await FeedDatabase(path: copy).dispose()
        await #expect(throws: POSIXError(.EEXIST)) { try await database.copy(to: copy) }
    }

    @Test func `a part of a copy is replaced, and other files stay`() async throws {
        try await FeedDatabase(path: path).dispose()
        try age(to: 3)
        for name in ["backend.sqlite.version-3.new", "backend.sqlite.version-mine", "other.sqlite.version-2"] {
            try Data("x".utf8).write(to: folder.url.appending(path: name))
        }
        try await FeedDatabase(path: path).dispose()
        #expect(
            try names.filter { $0.contains("version") } == [
                "backend.sqlite.version-3", "backend.sqlite.version-mine", "other.sqlite.version-2",
            ]
        )
    }
}

import Duet
import DuetDependencies
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
        let database = try FeedDatabase(path: folder.path("a/b/feed.sqlite"))
        let backend = try Container.backend(on: database)
        #expect(try await backend.dispatcher.dispatch(LoadFeed()).images == [])
        #expect(FileManager.default.fileExists(atPath: folder.path("a/b/feed.sqlite")))
    }

    @Test func `stored content survives a restart`() async throws {
        let path = folder.path("feed.sqlite")
        let photograph = try Data.sample("coffee.jpg")
        do {
            let backend = try Container.backend(on: FeedDatabase(path: path))
            try await backend.dispatcher.dispatch(
                PublishImage(id: .number(1), description: "Coffee", location: "Here", data: photograph)
            )
            try await backend.dispatcher.dispatch(
                PostImageComment(id: .number(2), imageID: .number(1), message: "Hm", username: "me")
            )
        }
        let backend = try Container.backend(on: FeedDatabase(path: path), now: .distantFuture)
        let images = try await backend.dispatcher.dispatch(LoadFeed()).images
        #expect(images.map(\.id) == [.number(1)])
        #expect(images.map(\.description) == ["Coffee"])
        #expect(images.map(\.location) == ["Here"])
        #expect(try await backend.dispatcher.dispatch(LoadPublishedImageData(id: .number(1))).data == photograph)
        let comments = try await backend.dispatcher.dispatch(LoadImageComments(imageID: .number(1)))
        #expect(
            comments == [ImageComment(id: .number(2), message: "Hm", createdAt: TestBackend.now, username: "me")]
        )
    }

    @Test func `an invalid row is an error, not a crash`() async throws {
        let path = folder.path("feed.sqlite")
        let backend = try Container.backend(on: FeedDatabase(path: path))
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
        let one = try Container.backend(on: FeedDatabase(path: path))
        let other = try Container.backend(on: FeedDatabase(path: path))
        try await one.dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
        #expect(try await other.dispatcher.dispatch(IsImagePublished(id: .number(1))))
    }

    @Test func `a database in memory works like one in a file`() async throws {
        let backend = try Container.backend(on: .inMemory())
        try await backend.dispatcher.dispatch(PublishImage(id: .number(1), data: .tinyImage))
        #expect(try await backend.dispatcher.dispatch(LoadFeed()).images.map(\.id) == [.number(1)])
    }

    @Test func `a file that is not a database is named and not changed`() throws {
        let path = folder.path("feed.sqlite")
        let garbage = Data(repeating: 0x2A, count: 8_192)
        try garbage.write(to: URL(filePath: path))
        let error = #expect(throws: FeedDatabaseError.self) { try FeedDatabase(path: path) }
        guard case .damaged(path, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(path) == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == garbage)
    }

    @Test func `a path that leads through a file is named`() throws {
        try Data().write(to: URL(filePath: folder.path("file")))
        let path = folder.path("file/feed.sqlite")
        let error = #expect(throws: FeedDatabaseError.self) { try FeedDatabase(path: path) }
        guard case .cannotOpen(path, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("Check that its folder can be written") == true)
    }

    @Test func `a folder in place of the file is named`() throws {
        let error = #expect(throws: FeedDatabaseError.self) { try FeedDatabase(path: folder.url.path) }
        guard case .cannotOpen? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a newer schema is refused and not changed`() async throws {
        let path = folder.path("feed.sqlite")
        _ = try FeedDatabase(path: path)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')") }
        try queue.close()
        let error = #expect(throws: FeedDatabaseError.self) { try FeedDatabase(path: path) }
        guard case .newerSchema(path)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a new file can be opened several times at the same moment`() async throws {
        for number in 1...10 {
            let path = folder.path("\(number).sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 { group.addTask { _ = try FeedDatabase(path: path) } }
                try await group.waitForAll()
            }
        }
    }
}

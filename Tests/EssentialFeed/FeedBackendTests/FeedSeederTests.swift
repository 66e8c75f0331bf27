import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

@Suite(.serialized) struct FeedSeederTests {
    private let backend: TestBackend
    private let folder: URL

    init() async throws {
        backend = try await TestBackend()
        folder = backend.folder.url.appending(path: "images")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data.tinyImage.write(to: folder.appending(path: "image.jpg"))
    }

    private func seed(_ items: String) async throws {
        try Data(#"{"items":[\#(items)]}"#.utf8).write(to: folder.appending(path: "feed.json"))
        try await FeedSeeder(database: backend.database) { TestBackend.now }.seed(from: folder)
    }

    private func item(_ id: Int, _ rest: String = #""image":"image.jpg""#) -> String {
        #"{"id":"\#(UUID.number(id))",\#(rest)}"#
    }

    private func fault(_ items: String) async throws -> FeedSeedError? {
        await #expect(throws: FeedSeedError.self) { try await seed(items) }
    }

    @Test func `the samples are twelve photographs with one to four comments each`() async throws {
        try await backend.seedSamples()
        let images = try await backend.dispatcher.dispatch(LoadFeed(limit: 100)).images
        #expect(images.count == 12)
        #expect(images.first?.description == "Dandelion seed heads in a meadow, lit by the low sun")
        #expect(images.last?.description == "A painted wooden bird hangs below bright round lamps")
        for image in images {
            let comments = try await backend.comments(on: image.id)
            #expect((1...4).contains(comments.count))
        }
        let first = try #require(images.first)
        let loaded = try await backend.dispatcher.dispatch(LoadPublishedImageData(id: first.id))
        #expect(try loaded.data == .sample("dandelions.jpg"))
    }

    @Test func `each sample names its author, license and source, and has no metadata`() throws {
        struct Manifest: Decodable {
            struct Item: Decodable {
                let author: String
                let license: String
                let source: String
                let image: String
            }
            let items: [Item]
        }
        let data = try Data(contentsOf: FeedSeeder.samples.appending(path: "feed.json"))
        let items = try JSONDecoder().decode(Manifest.self, from: data).items
        #expect(items.count == 12)
        for item in items {
            let file = try ImageFile(.sample(item.image))
            #expect(file.metadata.isEmpty)
            #expect(max(file.width, file.height) <= 2_000)
        }
    }

    @Test func `the feed gets a seeded image without metadata, and the file stays as it is`() async throws {
        let photograph = JPEGBytes.file([JPEGBytes.segment(0xFE, "Ann")], trailing: [1])
        let file = folder.appending(path: "photograph.jpg")
        try photograph.write(to: file)
        try await seed(item(1, #""image":"photograph.jpg""#))
        let data = try await backend.dispatcher.dispatch(LoadPublishedImageData(id: .number(1))).data
        #expect(data == JPEGBytes.file())
        #expect(try Data(contentsOf: file) == photograph)
    }

    @Test func `seeding again changes nothing`() async throws {
        try await backend.seedSamples()
        let rows = try await backend.rows()
        let page = try await backend.page(limit: 100)
        try await backend.seedSamples()
        #expect(try await backend.rows() == rows)
        #expect(try await backend.page(limit: 100) == page)
    }

    @Test func `a comment without an id is not added twice`() async throws {
        let comments =
            #""image":"image.jpg","comments":[{"message":"a","username":"b"},{"message":"a","username":"b"}]"#
        for _ in 1...2 { try await seed("\(item(1, comments)),\(item(2, comments))") }
        for id in 1...2 {
            let comments = try await backend.comments(on: .number(id))
            #expect(comments.count == 2)
            #expect(comments.allSatisfy { $0.createdAt == TestBackend.now })
        }
    }

    @Test func `a removed image is not seeded again`() async throws {
        try await seed("\(item(1)),\(item(2))")
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(1)))
        try await seed("\(item(1)),\(item(2))")
        #expect(try await backend.page() == [.number(2)])
    }

    @Test func `new items of the manifest are added on top`() async throws {
        try await seed("\(item(1)),\(item(2))")
        try await seed("\(item(3)),\(item(1)),\(item(2))")
        #expect(try await backend.page() == [.number(3), .number(1), .number(2)])
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", 0), ("2026-01-02T03:04:05+0000", 0), ("2026-01-02T03:04:05+00:00", 0),
        ("2026-01-02T03:04:05.250Z", 0.25), ("2026-01-02T05:04:05+02:00", 0), ("2026-01-01T22:04:05.5-0500", 0.5),
    ])
    func `a comment's time is parsed in each ISO 8601 format that occurs`(text: String, fraction: Double) async throws {
        try await seed(
            item(1, #""image":"image.jpg","comments":[{"message":"a","username":"b","created_at":"\#(text)"}]"#)
        )
        let expected = Date(timeIntervalSince1970: 1_767_323_045 + fraction)
        #expect(try await backend.comments(on: .number(1)).map(\.createdAt) == [expected])
    }

    @Test func `progress is reported batch by batch, from none to all`() async throws {
        let items = (1...1_500).map { item($0) }.joined(separator: ",")
        try Data(#"{"items":[\#(items)]}"#.utf8).write(to: folder.appending(path: "feed.json"))
        var steps: [[Int]] = []
        try await FeedSeeder(database: backend.database) { TestBackend.now }.seed(from: folder) {
            steps.append([$0, $1])
        }
        #expect(steps == [[0, 1_500], [1_000, 1_500], [1_500, 1_500]])
        #expect(try await backend.page(limit: 1) == [.number(1)])
    }

    @Test func `a folder without images is an empty feed`() async throws {
        try await seed("")
        #expect(try await backend.page() == [])
    }

    @Test(arguments: ["nothing.jpg", "", "/etc/passwd", "../../../../../../etc/passwd", "sub", ".", "a\\u0000b"])
    func `a name of a file outside of the folder is refused`(name: String) async throws {
        try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
        let error = try await fault("\(item(1)),\(item(2, #""image":"\#(name)""#))")
        #expect(error?.key == "items[1].image")
        #expect(error?.file.hasSuffix("feed.json") == true)
        #expect(try await backend.rows() == 0)
    }

    @Test func `a link out of the folder is refused, and one within it is followed`() async throws {
        let outside = backend.folder.url.appending(path: "outside.jpg")
        try Data.sample("clock.jpg").write(to: outside)
        for (name, target) in [("out.jpg", outside.path), ("in.jpg", "image.jpg")] {
            let link = folder.appending(path: name).path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        }
        #expect(try await fault(item(1, #""image":"out.jpg""#))?.reason == "is outside of the folder: out.jpg")
        try await seed(item(1, #""image":"in.jpg""#))
        #expect(try await backend.page() == [.number(1)])
    }

    @Test func `a file that is not an image is refused`() async throws {
        try Data("<html>".utf8).write(to: folder.appending(path: "page.jpg"))
        let error = try await fault(item(1, #""image":"page.jpg""#))
        #expect(error?.key == "items[0].image")
        #expect(error?.reason == "must be a JPEG, PNG, GIF or WebP image")
    }

    @Test(arguments: [
        (#"{"id":"x","image":"image.jpg"}"#, "items[0].id"),
        (#"{"image":"image.jpg"}"#, "items[0].id"),
        (#"{"id":"\#(UUID.number(1))"}"#, "items[0].image"),
        (#"{"id":"\#(UUID.number(1))","image":7}"#, "items[0].image"),
        (
            #"{"id":"\#(UUID.number(1))","image":"image.jpg","comments":[{"username":"a"}]}"#,
            "items[0].comments[0].message"
        ),
        (
            #"{"id":"\#(UUID.number(1))","image":"image.jpg","comments":[{"message":" ","username":"a"}]}"#,
            "items[0].comments[0].message"
        ),
        (
            #"{"id":"\#(UUID.number(1))","image":"image.jpg","comments":[{"message":"a","username":"b","created_at":"x"}]}"#,
            "items[0].comments[0].created_at"
        ),
        ("{", "body"),
    ])
    func `a malformed manifest is refused with the path to the fault`(items: String, key: String) async throws {
        let error = try await fault(items)
        #expect(error?.key == key)
        #expect(error?.description.contains("feed.json: \(key)") == true)
        #expect(try await backend.rows() == 0)
    }

    @Test func `an id that occurs twice is refused`() async throws {
        #expect(try await fault("\(item(1)),\(item(1))")?.key == "items[1].id")
        let comment = #""image":"image.jpg","comments":[{"id":"\#(UUID.number(5))","message":"a","username":"b"}]"#
        #expect(try await fault("\(item(1, comment)),\(item(2, comment))")?.key == "items[1].comments[0].id")
        #expect(try await backend.rows() == 0)
    }

    @Test func `a folder without a manifest is refused`() async throws {
        let seeder = FeedSeeder(database: backend.database) { TestBackend.now }
        let error = await #expect(throws: FeedSeedError.self) { try await seeder.seed(from: folder) }
        #expect(error?.file.hasSuffix("images/feed.json") == true)
        #expect(error?.key == nil)
    }
}

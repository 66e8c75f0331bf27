import FeedCache
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct FileFeedStoreOpeningTests {
    private let directory: TemporaryDirectory
    private let place: URL
    private let feed = CachedFeed(images: FeedImage.fixtures(0..<3), timestamp: .fixture)

    init() throws {
        directory = try TemporaryDirectory()
        place = directory.appending("feed")
    }

    @Test func `missing folders are created`() async throws {
        let opened = try FileFeedStore.open(at: directory.appending("a").appending(components: "b", "feed"))

        #expect(opened.setAside == nil)
        #expect(try await opened.store.retrieve() == nil)
    }

    @Test func `a valid store is not set aside`() async throws {
        try await fill()

        let opened = try FileFeedStore.open(at: place)

        #expect(opened.setAside == nil)
        #expect(try await opened.store.retrieve() == feed)
    }

    @Test func `a folder that cannot be created is named`() throws {
        try Data().write(to: directory.appending("file"))
        let place = directory.appending("file").appending(components: "folder", "feed")

        for open in [{ _ = try FileFeedStore(directory: place) }, { _ = try FileFeedStore.open(at: place) }] {
            let error = #expect(throws: FeedStoreError.self) { try open() }
            guard case .folderUnavailable(let path, _) = try #require(error) else {
                Issue.record("expected folderUnavailable, found \(String(describing: error))")
                return
            }
            #expect(path == place.deletingLastPathComponent().path)
            #expect("\(try #require(error))".contains(path))
        }
    }

    @Test(arguments: [
        "", "garbage", "{", "[]", "null", "{}", #"{"version":"2"}"#, #"{"version":2,"images":[]}"#, "\0\0\0",
    ])
    func `an unreadable feed is set aside with its bytes`(contents: String) async throws {
        try await fill()
        let garbage = Data(contents.utf8)
        try garbage.write(to: feedFile)

        #expect(throws: FeedStoreError.self) { try FileFeedStore(directory: place) }
        let opened = try FileFeedStore.open(at: place)

        let setAside = try #require(opened.setAside)
        #expect(setAside.location.path == place.path + ".unreadable-1")
        #expect(try Data(contentsOf: setAside.location.appending(component: "feed.json")) == garbage)
        #expect(try names(setAside.location.appending(component: "images")).count == 1)
        #expect("\(setAside)".contains(feedFile.path) && "\(setAside)".contains(setAside.location.path))
        #expect(try await opened.store.retrieve() == nil)
        try await opened.store.insert(feed.images, timestamp: feed.timestamp)
        #expect(try await opened.store.retrieve() == feed)
    }

    @Test func `each store that is set aside has its own name`() async throws {
        for n in 1...3 {
            _ = try FileFeedStore(directory: place)
            try Data("garbage \(n)".utf8).write(to: feedFile)
            #expect(try FileFeedStore.open(at: place).setAside?.location.lastPathComponent == "feed.unreadable-\(n)")
        }
        let first = directory.appending("feed.unreadable-1").appending(component: "feed.json")
        #expect(try Data(contentsOf: first) == Data("garbage 1".utf8))
    }

    @Test func `a feed truncated at any place is set aside, or is whole`() async throws {
        try await fill()
        let whole = try Data(contentsOf: feedFile)
        for length in stride(from: 0, to: whole.count, by: 29) {
            try whole.prefix(length).write(to: feedFile)
            #expect(throws: FeedStoreError.self) { try FileFeedStore(directory: place) }
        }
    }

    @Test func `a file where the folder should be is set aside`() async throws {
        try Data("I am a file".utf8).write(to: place)

        let opened = try FileFeedStore.open(at: place)

        #expect(try Data(contentsOf: try #require(opened.setAside).location) == Data("I am a file".utf8))
        #expect(try await opened.store.retrieve() == nil)
    }

    @Test(arguments: ["images", "feed.json"])
    func `a file in place of a folder is set aside, and vice versa`(name: String) async throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let odd = place.appending(component: name)
        if name == "images" {
            try Data().write(to: odd)
        } else {
            try FileManager.default.createDirectory(at: odd, withIntermediateDirectories: true)
        }

        let opened = try FileFeedStore.open(at: place)

        #expect("\(try #require(opened.setAside).reason)".contains(odd.path))
        #expect(try await opened.store.retrieve() == nil)
    }

    @Test func `a pipe is neither set aside nor replaced`() throws {
        try #require(unsafe mkfifo(place.path, 0o600) == 0)

        let error = #expect(throws: FeedStoreError.self) { try FileFeedStore.open(at: place) }

        #expect("\(try #require(error))".contains("neither a file nor a folder"))
        #expect(place.isSpecialFile)
    }

    @Test func `unrelated files in the folder stay`() async throws {
        let photographs = ["holiday.jpg", "notes.plist", "12ab.jpg", "12ab.plist.old"].map {
            place.appending(components: "images", $0)
        }
        try FileManager.default.createDirectory(
            at: place.appending(component: "images"),
            withIntermediateDirectories: true
        )
        for file in photographs { try Data(file.lastPathComponent.utf8).write(to: file) }

        let store = try FileFeedStore.open(at: place).store
        try await store.insert(FeedImage.fixtures(0..<3), timestamp: .fixture)
        try await store.deleteCachedFeed()

        for file in photographs { #expect(try Data(contentsOf: file) == Data(file.lastPathComponent.utf8)) }
    }

    @Test func `a feed of the first version is migrated with its content`() async throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let old = """
            {"version":1,"timestamp":721692800.12345678,"images":[
                {"id":"\(UUID.fixture(1))","description":"first","url":"http://images.invalid/1"},
                {"id":"\(UUID.fixture(2))","url":"http://images.invalid/2"}
            ]}
            """
        try Data(old.utf8).write(to: feedFile)

        let opened = try FileFeedStore.open(at: place)

        #expect(opened.setAside == nil)
        let feed = try #require(await opened.store.retrieve())
        #expect(feed.timestamp == Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_78))
        #expect(feed.images.map(\.id) == [.fixture(1), .fixture(2)])
        #expect(feed.images.map(\.description) == ["first", nil])
        #expect(feed.images.map(\.location) == [nil, nil])
        #expect(feed.images.map(\.url.absoluteString) == ["http://images.invalid/1", "http://images.invalid/2"])
        #expect(String(decoding: try Data(contentsOf: feedFile), as: UTF8.self).contains(#""version":2"#))
    }

    @Test func `a feed of a newer version is refused, and set aside by the opener`() async throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let newer = Data(#"{"version":3,"something":"else"}"#.utf8)
        try newer.write(to: feedFile)

        let error = #expect(throws: FeedStoreError.self) { try FileFeedStore(directory: place) }
        guard case .newerSchema(feedFile.path, found: "3", supported: "2") = error else {
            Issue.record("expected newerSchema, found \(String(describing: error))")
            return
        }
        #expect("\(try #require(error))".contains("Update the program"))
        #expect(try Data(contentsOf: feedFile) == newer)

        let opened = try FileFeedStore.open(at: place)
        let setAside = try #require(opened.setAside)
        #expect(try Data(contentsOf: setAside.location.appending(component: "feed.json")) == newer)
    }

    private var feedFile: URL { place.appending(component: "feed.json") }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    private func fill() async throws {
        let store = try FileFeedStore(directory: place)
        try await store.insert(feed.images, timestamp: feed.timestamp)
        try await store.insert(Data([1, 2, 3]), for: .fixture(0))
    }
}

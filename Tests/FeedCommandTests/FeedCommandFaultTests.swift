import FeedTesting
import Foundation
import Hummingbird
import Synchronization
import Testing

/// What the program does where its output, its paths or its server are not what it may expect.
@Suite(.serialized) struct FeedCommandFaultTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [["cache", "--json"], ["cache"]])
    func `results that cannot be written are one clear sentence`(arguments: [String]) throws {
        let result = try FeedProcess(arguments, home: home, redirection: ">/dev/full").finish()
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: Standard output cannot be written: "))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["2>&-", "2>/dev/full"])
    func `notes that cannot be written end nothing`(redirection: String) throws {
        let cache = home.appending(path: "feed.sqlite")
        try Data("this is no database, and never was one".utf8).write(to: cache)
        let arguments = ["cache", "--cache", cache.path]
        let result = try FeedProcess(arguments, home: home, redirection: redirection).finish()
        #expect(result.status == 0)
        #expect(result.output.contains("The cache is empty"))
    }

    @Test func `an image goes into a pipe, and a full output is an error`() async throws {
        let server = try FeedProcess(["serve", "--port", "0"], home: home)
        let image = "\(try await server.printed("Backend:"))v1/image/7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0"
        let pipe = home.appending(path: "pipe")
        try #require(unsafe mkfifo(pipe.path, 0o600) == 0)
        // Open for both, so that the program need not wait for a reader; the image is smaller than a pipe's buffer.
        let reader = try FileHandle(forUpdating: pipe)
        let piped = try FeedProcess.run("image", image, "-o", pipe.path, home: home)
        let full = try FeedProcess(["image", image, "-o", "-"], home: home, redirection: ">/dev/full").finish()
        server.interrupt()
        #expect(try server.finish().status == 0)
        #expect(piped.status == 0)
        let type = try FileManager.default.attributesOfItem(atPath: pipe.path)[.type] as? FileAttributeType
        #expect(type != .typeRegular)
        if type != .typeRegular { #expect(try reader.read(upToCount: 3) == Data([0xFF, 0xD8, 0xFF])) }
        #expect(full.status == 1)
        #expect(full.error.hasPrefix("Error: Standard output cannot be written: "))
    }

    @Test func `somebody's folder or file is no cache, and stays where it is`() throws {
        let folder = home.appending(path: "photographs", directoryHint: .isDirectory)
        let file = folder.appending(path: "cat.jpg")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("a cat".utf8).write(to: file)
        for arguments in [["--cache", folder.path], ["--store", "file", "--cache", file.path]] {
            let result = try FeedProcess(["cache", "clear"] + arguments, home: home).finish()
            #expect(result.status == 64)
            #expect(result.error.hasPrefix("Error: "))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cat.jpg"])
        #expect(try Data(contentsOf: file) == Data("a cat".utf8))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that repeats its page is not asked on and on`() async throws {
        let requests = Mutex(0)
        let page = #"{"items":[{"id":"7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0","image":"http://127.0.0.1:1/"}]}"#
        let router = Router()
        router.get("/v1/feed") { _, _ in
            requests.withLock { $0 += 1 }
            return page
        }
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) }
        )
        let server = Task { try await application.run() }
        defer { server.cancel() }
        let port = try #require(await ports.first { _ in true })

        let remote = "http://127.0.0.1:\(port)/"
        let result = try FeedProcess.run("load", "--pages", "20", "--no-images", "--remote", remote, home: home)

        #expect(result.status == 0)
        #expect(requests.withLock { $0 } == 2)
    }
}

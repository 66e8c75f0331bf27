import FeedComposition
import FeedTesting
import Foundation
import Hummingbird
import Synchronization
import Testing

/// The program with an unwritable output, unsuitable paths or a faulty server.
@Suite(.serialized) struct FeedCommandFaultTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [["cache", "--json"], ["cache"], ["graph"]])
    func `an unwritable output is one clear sentence`(arguments: [String]) async throws {
        let result = try await FeedProcess(arguments, home: home, redirection: ">/dev/full").finish()
        #expect(result.status == 1)
        let start = arguments.contains("--json") ? #"{"error":{"code":1,"kind":"failure","message":""# : "Error: "
        #expect(result.error.hasPrefix("\(start)Standard output cannot be written: "))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["2>&-", "2>/dev/full"])
    func `unwritable notes do not end the program`(redirection: String) async throws {
        let result = try await FeedProcess(["cache", "clear"], home: home, redirection: redirection).finish()
        #expect(result.status == 0)
    }

    @Test func `an image can be written to a pipe, and a full output is an error`() async throws {
        let image = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"
        let pipe = home.appending(path: "pipe")
        try #require(unsafe mkfifo(pipe.path, 0o600) == 0)
        // Opened for reading and writing, so that the program finds a reader; the image fits in a pipe's buffer.
        let reader = try FileHandle(forUpdating: pipe)
        // With room for the whole image, because nobody reads while the program writes (fcntl(2), F_SETPIPE_SZ).
        try #require(fcntl(reader.fileDescriptor, 1_031, 1_048_576) == 1_048_576)
        let (piped, full) = try await withBackend(home: home, seed: .samples) { remote in
            let load = ["image", image, "--remote", remote, "-o"]
            let piped = try await FeedCommand.run(load + [pipe.path], home: home)
            let full = try await FeedProcess(load + ["-"], home: home, redirection: ">/dev/full").finish()
            return (piped, full)
        }
        #expect(piped.status == 0)
        let type = try FileManager.default.attributesOfItem(atPath: pipe.path)[.type] as? FileAttributeType
        #expect(type != .typeRegular)
        if type != .typeRegular { #expect(try reader.read(upToCount: 3) == Data([0xFF, 0xD8, 0xFF])) }
        #expect(full.status == 1)
        #expect(full.error.hasPrefix("Error: Standard output cannot be written: "))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a server that repeats its page does not cause endless requests`() async throws {
        let requests = Mutex(0)
        let page = #"{"items":[{"id":"8112E60D-949B-5F7E-BDED-DBE3CABE2D36","image":"http://127.0.0.1:1/"}]}"#
        let router = Router()
        router.get("/v1/feed") { _, _ in
            requests.withLock { $0 += 1 }
            return page
        }
        try await withServer(router) { remote in
            let result = try await FeedCommand.run("load", "--all", "--no-images", "--remote", remote, home: home)
            #expect(result.status == 0)
            #expect(requests.withLock { $0 } == 2)
        }
    }

    @Test func `a server that fails midway leaves the earlier pages and the failure`() async throws {
        let page = #"{"items":[{"id":"8112E60D-949B-5F7E-BDED-DBE3CABE2D36","image":"http://127.0.0.1:1/"}]}"#
        let router = Router()
        router.get("/v1/feed") { request, _ in
            if request.uri.queryParameters["after_id"] != nil { throw HTTPError(.internalServerError) }
            return page
        }
        try await withServer(router) { remote in
            let result = try await FeedCommand.run("load", "--all", "--no-images", "--remote", remote, home: home)
            #expect(result.status == 1)
            #expect(result.output.contains("8112E60D-949B-5F7E-BDED-DBE3CABE2D36"))
            #expect(result.error.contains("The server's response could not be used"))
        }
    }
}

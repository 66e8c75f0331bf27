import FeedTesting
import Foundation
import Hummingbird
import Synchronization
import Testing

/// The exit codes of the program, and its errors as JSON.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ExitCodeTests {
    private let directory: TemporaryDirectory
    private let nowhere = "http://127.0.0.1:1/"
    private let items = [StubItem("AAAAAAAA", "a cat")]

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func feed(_ arguments: [String], token: String? = nil) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: directory.url, token: token)
    }

    @Test func `a cached feed is a success unless a fresh one is required`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let loaded = try await feed(["load", "--require-fresh", "--remote", remote])
            #expect(loaded.status == 0)
        }
        #expect(try await feed(["load", "--remote", nowhere]).status == 0)
        let stale = try await feed(["load", "--require-fresh", "--remote", nowhere])
        #expect(stale.status == 75)
        #expect(stale.output.contains("a cat"), "it is printed all the same")
        #expect(stale.error.hasSuffix("Error: The feed is from the cache, and --require-fresh was given.\n"))
        let json = try await feed(["load", "--require-fresh", "--json", "--remote", nowhere])
        #expect(json.status == 75)
        #expect(json.output.contains(#""source" : "cache""#))
        #expect(try JSONDecoder().decode(Report.self, from: Data(json.error.utf8)).error.kind == "stale")
    }

    @Test(arguments: [([], 69), (["--limit", "0"], 64)] as [([String], Int32)])
    func `the exit code of a command is that of the process`(options: [String], code: Int32) async throws {
        let result = try await FeedProcess(["load", "--remote", nowhere] + options, home: directory.url).finish()
        #expect(result.status == code)
        #expect(result.error.split(separator: "\n").first?.isEmpty == false)
    }

    @Test func `with nothing to show, a missing server is the reason`() async throws {
        #expect(try await feed(["load", "--require-fresh", "--remote", nowhere]).status == 69)
    }

    @Test(arguments: [
        (["load", "--limit", "0"], 64, "usage", "--limit must be 1 to 100, not 0."),
        (["image", "AAAA", "-o", "-"], 64, "usage", "--json and --output - contradict each other."),
        (["graph", "--format", "dot"], 64, "usage", "--json and --format dot contradict each other."),
        (["load", "--nonsense"], 64, "usage", "Unknown option '--nonsense'"),
        (["load", "--remote", "http://127.0.0.1:1/"], 69, "unavailable", "The server could not be reached: "),
        (
            ["comments", "AAAA", "--remote", "http://127.0.0.1:1/"], 69, "unavailable",
            "The server could not be reached: "
        ),
        (["token", "revoke", "ann"], 1, "failure", "There is no token called ann."),
        (["remove", "AAAAAAAA-0000-4000-8000-0000000000AA"], 77, "denied", "FEED_TOKEN does not contain a token"),
        (["publish", "nowhere.jpg"], 1, "failure", "nowhere.jpg cannot be read"),
    ])
    func `an error is one line of JSON with its kind and its exit code`(
        arguments: [String],
        code: Int32,
        kind: String,
        message: String
    ) async throws {
        let result = try await feed(arguments + ["--json"], token: "two words")
        #expect(result.status == code)
        let line = try #require(result.error.split(separator: "\n").last)
        let error = try JSONDecoder().decode(Report.self, from: Data(line.utf8)).error
        #expect(error.code == code)
        #expect(error.kind == kind)
        #expect(error.message.hasPrefix(message))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test func `an invalid response is a failure`() async throws {
        let router = Router()
        router.get("/v1/feed") { _, _ in "nonsense" }
        try await withServer(router) { remote in
            let loaded = try await feed(["load", "--remote", remote])
            #expect(loaded.status == 1)
        }
    }

    @Test func `images are loaded at the same time, but at most six`() async throws {
        let items = (0..<8).map { StubItem("AAAAAAA\($0)", "\($0)") }
        let state = Mutex((waiting: 0, maximum: 0))
        let (areSixHere, announcement) = AsyncStream.makeStream(of: Never.self)
        let router = feedRouter(of: items) {
            let count = state.withLock { state in
                state.waiting += 1
                state.maximum = max(state.maximum, state.waiting)
                return state.waiting
            }
            if count == 6 { announcement.finish() }
            for await _ in areSixHere {}
            state.withLock { $0.waiting -= 1 }
            return StubItem.png
        }
        try await withServer(router) { remote in
            let result = try await feed(["load", "--remote", remote, "--json"])
            #expect(result.status == 0)
            #expect(result.output.contains(#""missingImages" : 0"#))
        }
        #expect(state.withLock { $0.maximum } == 6)
    }

    private struct Report: Decodable {
        struct Details: Decodable {
            let kind: String
            let code: Int32
            let message: String
        }

        let error: Details
    }
}

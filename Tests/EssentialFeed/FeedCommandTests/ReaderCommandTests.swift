import FeedTesting
import Foundation
import Hummingbird
import TestSupport
import Testing

/// The texts of the commands for readers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReaderCommandTests {
    private let directory: TemporaryDirectory
    private let nowhere = "http://127.0.0.1:1/"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func feed(_ arguments: String...) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: directory.url)
    }

    /// A server with one image that has everything.
    private var complete: Router<BasicRequestContext> {
        let router = Router()
        let item = """
            {"id":"AAAAAAAA-0000-4000-8000-0000000000AA","description":"A cat on a long wooden table in the sun",\
            "caption":"Before breakfast","location":"Athens","author":{"username":"Ann"},\
            "published_at":"2020-01-01T00:00:00.000Z","comment_count":12,"animated":true,"width":1,"height":1,\
            "versions":[{"width":1,"image":"http://127.0.0.1/v"}],"image":"http://127.0.0.1/image"}
            """
        router.get("/v1/feed") { _, _ in #"{"items":[\#(item)]}"# }
        router.get("/v1/feed/search") { _, _ in #"{"items":[]}"# }
        return router
    }

    @Test func `author, date, caption and number of comments are shown, and fit in 80 columns`() async throws {
        try await withServer(complete) { remote in
            let terminal = try PseudoTerminal(columns: 80)
            let arguments = ["load", "--no-images", "-q", "--color", "never", "--remote", remote]
            let process = try FeedProcess(arguments, home: directory.url, redirection: terminal.redirection)
            #expect(try await process.finish().status == 0)
            let lines = await terminal.finish().split(separator: "\r\n")
            let header = lines.dropFirst().first?.split(separator: #/ {2,}/#).map(String.init)
            #expect(header == ["IMAGE", "CAPTION", "AUTHOR", "LOCATION", "PUBLISHED", "COMMENTS", "ID"])
            let row = lines.last?.split(separator: #/ {2,}/#).map(String.init) ?? []
            #expect(row.count == 7 && row[2] == "Ann" && row[3] == "Athens" && row[5...] == ["12", "AAAAAAAA"])
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")

            let json = try await feed("load", "--json", "--no-images", "--remote", remote).output
            #expect(
                json == """
                    {
                      "hasMore" : false,
                      "items" : [
                        {
                          "author" : "Ann",
                          "caption" : "Before breakfast",
                          "commentCount" : 12,
                          "description" : "A cat on a long wooden table in the sun",
                          "height" : 1,
                          "id" : "AAAAAAAA-0000-4000-8000-0000000000AA",
                          "isAnimated" : true,
                          "location" : "Athens",
                          "publishedAt" : "2020-01-01T00:00:00Z",
                          "url" : "http://127.0.0.1/image",
                          "versions" : [
                            {
                              "url" : "http://127.0.0.1/v",
                              "width" : 1
                            }
                          ],
                          "width" : 1
                        }
                      ],
                      "missingImages" : 0,
                      "source" : "remote"
                    }

                    """
            )
        }
    }

    @Test func `more pages are announced, and the last one is not followed by any`() async throws {
        let items = [StubItem("AAAAAAAA", "a cat"), StubItem("BBBBBBBB", "a dog")]
        try await withServer(feedRouter(of: items)) { remote in
            let full = try await feed("load", "--no-images", "--limit", "2", "--remote", remote)
            #expect(full.error.contains("There may be more images. To load them, add --pages 2 or --all."))
            for options in [["--limit", "3"], ["--limit", "2", "--all"]] {
                let arguments = ["load", "--no-images", "--remote", remote] + options
                let last = try await FeedCommand.run(arguments, home: directory.url)
                #expect(!last.error.contains("There may be more"))
            }
        }
    }

    @Test func `a search without a match has its own text`() async throws {
        try await withServer(complete) { remote in
            let result = try await feed("load", "--search", "-dog", "--remote", remote)
            #expect(result.status == 0)
            #expect(result.output == "Search: -dog\nNo images match this search.\n")
        }
    }

    @Test(arguments: [
        ("el", ["ΕΙΚΟΝΑ", "ΤΟΠΟΘΕΣΙΑ"], "Από τον διακομιστή.", "Από την προσωρινή μνήμη."),
        ("pt-BR", ["IMAGEM", "LOCAL"], "Do servidor.", "Do cache."),
    ])
    func `headers and notes are in the reader's language`(
        language: String,
        headers: [String],
        server: String,
        cache: String
    ) async throws {
        try await withServer(complete) { remote in
            let result = try await feed("load", "--no-images", "--language", language, "--remote", remote)
            for header in headers { #expect(result.output.contains(header), "\(result.output)") }
            #expect(result.error.contains(server))
        }
        let offline = try await feed("load", "--no-images", "--language", language, "--remote", nowhere)
        #expect(offline.error.contains(cache), "\(offline.error)")
    }

    @Test func `comments without a server are explained`() async throws {
        let result = try await feed("comments", "AAAAAAAA-0000-4000-8000-0000000000AA", "--remote", nowhere)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("Error: The server could not be reached: "))
        #expect(result.error.contains("Comments are not saved on this machine."))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test func `a comment that waits is not called sending`() async throws {
        let id = "AAAAAAAA-0000-4000-8000-0000000000AA"
        let kept = try await feed("reply", id, "Hm", "--user", "me", "--remote", nowhere)
        #expect(kept.status == 0, "\(kept.error)")
        for command in [["outbox"], ["outbox", "send"]] {
            let arguments = command + ["--remote", nowhere]
            let listed = try await FeedCommand.run(arguments, home: directory.url)
            #expect(listed.output.contains("waiting") && !listed.output.contains("sending"), "\(listed.output)")
            let isSending = command.count == 2
            #expect(listed.status == (isSending ? 69 : 0))
            #expect(listed.error.contains("1 comment still waits for the server.") == isSending, "\(listed.error)")
        }
    }

    @Test func `a silent server is left after the time limit`() async throws {
        let (end, announcement) = AsyncStream.makeStream(of: Never.self)
        let router = Router()
        router.get("/v1/feed") { _, _ in
            for await _ in end {}
            return ""
        }
        try await withServer(router) { remote in
            let result = try await feed("load", "--timeout", "1", "--remote", remote)
            #expect(result.status == 69)
            #expect(result.error.contains("within 1 second."), "\(result.error)")
            announcement.finish()
        }
        let invalid = try await feed("load", "--timeout", "0")
        #expect(invalid.status == 64)
        #expect(invalid.error.contains("--timeout must be 1 to 3600, not 0."))
    }

    @Test func `images that the cache has no room for are one line of the log, and are counted as loaded`() async throws
    {
        let items = (0..<4).map { StubItem("AAAAAAA\($0)", "\($0)") }
        let image = Data("GIF89a".utf8) + Data(count: 400_000)
        try await withServer(feedRouter(of: items) { image }) { remote in
            // Files of at most 600 blocks of 512 bytes.
            let script = "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\""
            let result = try await FeedProcess(
                ["-c", script, builtExecutable("feed").path, "load", "--json", "--remote", remote],
                home: directory.url,
                program: URL(filePath: "/bin/sh")
            ).finish()
            #expect(result.status == 0)
            #expect(result.output.contains(#""missingImages" : 0"#))
            let lines = result.error.split(separator: "\n")
            #expect(lines.count == 1, "\(result.error)")
            #expect(lines.first?.contains("An image could not be saved: ") == true)
            #expect(!result.error.contains("INSERT"))
        }
    }
}

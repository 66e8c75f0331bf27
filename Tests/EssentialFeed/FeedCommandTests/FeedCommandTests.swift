import FeedComposition
import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// The program's output, error messages and exit codes.
@Suite(.serialized) struct FeedCommandTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }
    private let nowhere = "http://127.0.0.1:1/"

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `the demo prints the feed and serves the page until Ctrl-C`() async throws {
        let demo = try FeedProcess(["demo", "--originals-only", "--web-port", "0", "--backend-port", "0"], home: home)
        let page = try await demo.printed("Page:")
        #expect(page.hasPrefix("http://127.0.0.1:"))
        let port = try #require(URL(string: page)?.port)
        let answer = try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
            try await client.execute(TestClient.Request("/", method: .get, authority: "127.0.0.1"))
        }
        #expect(answer.status == .ok)
        #expect(
            answer.body.map { String(buffer: $0) }?.contains("Dandelion seed heads in a meadow, lit by the low sun")
                == true
        )
        demo.interrupt()
        let result = try await demo.finish()
        #expect(result.status == 0)
        #expect(result.output.contains("My Feed"))
        #expect(!(result.output + result.error).contains("\u{1B}"), "color is for terminals only")
        #expect(!result.error.contains("Filling the backend"), "progress is for terminals only")
        #expect(result.output.contains("Dandelion seed heads in a meadow, lit by the low sun"))
        #expect(result.output.contains("8112E60D-949B-5F7E-BDED-DBE3CABE2D36"))
        #expect(result.error.contains("From the server."))
        #expect(FileManager.default.fileExists(atPath: home.appending(path: "cache/essential-feed/feed.sqlite").path))
        #expect(FileManager.default.fileExists(atPath: home.appending(path: "data/essential-feed/backend.sqlite").path))
    }

    @Test func `a loaded feed is still shown when the server is gone`() async throws {
        let store = "sqlite"
        let server = try FeedProcess(["serve", "--originals-only", "--port", "0"], home: home)
        let remote = try await server.printed("Backend:")
        let online = try await FeedCommand.run(
            "load",
            "--all",
            "--remote",
            remote,
            "--store",
            store,
            "--json",
            home: home
        )
        let image = home.appending(path: "dandelions.jpg").path
        let id = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"
        let comments = try await FeedCommand.run(
            "comments",
            "8112e60d-949b-5f7e-bded-dbe3cabe2d36",
            "--remote",
            remote,
            "--json",
            home: home
        )
        server.interrupt()
        #expect(try await server.finish().status == 0)
        #expect(online.status == 0)
        let loaded = try JSONDecoder().decode(Feed.self, from: Data(online.output.utf8))
        #expect(loaded.source == "remote")
        #expect(loaded.items.count == 12)
        #expect(loaded.missingImages == 0)
        #expect(try JSONDecoder().decode(CommentList.self, from: Data(comments.output.utf8)).items.count >= 2)

        let offline = try await FeedCommand.run("load", "--remote", remote, "--store", store, "--json", home: home)
        #expect(offline.status == 0)
        let cached = try JSONDecoder().decode(Feed.self, from: Data(offline.output.utf8))
        #expect(cached.source == "cache")
        #expect(cached.failure?.kind == "connectivity")
        #expect(cached.items == loaded.items)
        #expect(cached.missingImages == 0)

        let saved = try await FeedCommand.run("image", id, "-o", image, "--store", store, home: home)
        #expect(saved.status == 0)
        #expect(try Data(contentsOf: URL(filePath: image)).starts(with: [0xFF, 0xD8, 0xFF]))

        let table = try await FeedCommand.run(
            "load",
            "--remote",
            remote,
            "--store",
            store,
            "--language",
            "el",
            home: home
        )
        #expect(table.output.contains("Το Feed μου"))
        #expect(table.error.contains("Δεν ήταν δυνατή η σύνδεση στο διακομιστή"))
    }

    @Test func `comments need no cache`() async throws {
        try Data().write(to: home.appending(path: "cache"))
        let result = try await FeedCommand.run(
            "comments",
            "8112E60D-949B-5F7E-BDED-DBE3CABE2D36",
            "--remote",
            nowhere,
            home: home
        )
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("Error: The server could not be reached: "))
    }

    @Test(arguments: ["load", "comments", "web"])
    func `an invalid server address is one clear sentence`(command: String) async throws {
        let id = command == "comments" ? ["8112E60D-949B-5F7E-BDED-DBE3CABE2D36"] : []
        let result = try await FeedCommand.run([command] + id + ["--remote", "http://127.0.0.1:1/?a=b"], home: home)
        #expect(result.status == 1)
        #expect(result.error.contains("cannot be the server's address"))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test func `the cache is shown, kept while it is fresh, and cleared`() async throws {
        let empty = try await FeedCommand.run("cache", "show", home: home)
        #expect(empty.output.contains("The cache is empty"))
        try await withBackend(home: home, seed: .samples) { remote in
            _ = try await FeedCommand.run("load", "--no-images", "--remote", remote, home: home)
        }
        #expect(try await FeedCommand.run("cache", "remove-invalid", home: home).status == 0)
        #expect(try await FeedCommand.run("cache", "show", home: home).output.contains("10 images, saved"))
        #expect(try await FeedCommand.run("cache", "clear", home: home).status == 0)
        #expect(try await FeedCommand.run("cache", home: home).output.contains("The cache is empty"))
    }

    @Test func `a damaged cache is not changed by a look at it, and is renamed with a note by a change`() async throws {
        let cache = home.appending(path: "feed.sqlite")
        #expect(try await FeedCommand.run("cache", "clear", "--cache", cache.path, home: home).status == 0)
        try? FileManager.default.removeItem(atPath: cache.path + "-wal")
        var bytes = try Data(contentsOf: cache)
        // The size of a page.
        bytes.replaceSubrange(16..<18, with: [0, 7])
        try bytes.write(to: cache)

        let shown = try await FeedCommand.run("cache", "show", "--cache", cache.path, home: home)
        #expect(shown.status == 1)
        #expect(shown.error.contains("The file \(cache.path) is damaged"))
        #expect(try Data(contentsOf: cache) == bytes)

        let cleared = try await FeedCommand.run("cache", "clear", "--verbose", "--cache", cache.path, home: home)
        #expect(cleared.status == 0)
        let notes = cleared.error.split(separator: "\n").filter { $0.contains(".unreadable") }
        #expect(notes.count == 2, "once shown, once logged")
        #expect(notes.filter { $0.contains(" notice: ") }.count == 1)
        #expect(try Data(contentsOf: URL(filePath: cache.path + ".unreadable")) == bytes)
    }

    @Test func `the backend is filled from a folder with a manifest`() async throws {
        let folder = home.appending(path: "photographs", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let manifest = #"{"items":[{"id":"00000000-0000-0000-0000-0000000000AA","image":"dot.gif"}]}"#
        try Data(manifest.utf8).write(to: folder.appending(path: "feed.json"))
        // The smallest possible image: one transparent pixel.
        let dot = try #require(Data(base64Encoded: "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="))
        try dot.write(to: folder.appending(path: "dot.gif"))
        let server = try FeedProcess(["serve", "--originals-only", "--port", "0", "--seed", folder.path], home: home)
        let remote = try await server.printed("Backend:")
        let loaded = try await FeedCommand.run("load", "--remote", remote, "--json", home: home)
        server.interrupt()
        #expect(try await server.finish().status == 0)
        let feed = try JSONDecoder().decode(Feed.self, from: Data(loaded.output.utf8))
        #expect(feed.items.map(\.id.uuidString) == ["00000000-0000-0000-0000-0000000000AA"])
        #expect(feed.missingImages == 0)
    }

    @Test func `a port in use is one clear sentence`() async throws {
        let first = try FeedProcess(["serve", "--originals-only", "--port", "0"], home: home)
        let port = try #require(URL(string: try await first.printed("Backend:"))?.port)
        let second = try await FeedCommand.run(
            "serve",
            "--port",
            "\(port)",
            "--database",
            home.appending(path: "b.sqlite").path,
            home: home
        )
        let page = try await FeedCommand.run("web", "--port", "\(port)", home: home)
        let demo = try await FeedCommand.run(
            "demo",
            "--web-port",
            "0",
            "--backend-port",
            "\(port)",
            "--database",
            home.appending(path: "c.sqlite").path,
            home: home
        )
        first.interrupt()
        #expect(try await first.finish().status == 0)
        for result in [second, page, demo] {
            #expect(result.status == 1)
            // The page may have noticed that there is no backend.
            let lines = result.error.split(separator: "\n").filter { !$0.contains("The backend cannot be reached") }
            #expect(lines.count == 1)
            #expect(lines[0].hasPrefix("Error: Port \(port) on 127.0.0.1 is in use by another program."))
        }
    }

    @Test(arguments: [
        ["load", "--cache", "/dev/null/feed.sqlite"], ["cache", "clear", "--cache", "/dev/null/feed.sqlite"],
        ["serve", "--database", "/dev/null/backend.sqlite"],
    ])
    func `an unwritable folder is one clear sentence that names it`(arguments: [String]) async throws {
        let result = try await FeedCommand.run(arguments, home: home)
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: "))
        #expect(result.error.contains("/dev/null"))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ["load", "--remote", "not an address"], ["web", "--remote", "ftp://127.0.0.1/"],
        ["load", "--remote", "http://"], ["load", "--remote", "http://127.0.0.1:65536/"], ["cache", "--cache", ""],
        ["serve", "--database", ""], ["serve", "--seed", ""], ["image", "http://127.0.0.1:1/", "-o", ""],
        ["image", "cat.jpg", "-o", "x.jpg"], ["serve", "--port", "65536"], ["serve", "--port", "-1"],
        ["load", "--limit", "0"], ["load", "--limit", "101"], ["load", "--pages", "0"], ["comments", "no-id"],
        ["load", "--language", "xx"], ["publish"], ["remove", "no-id"], ["reply", "no-id", "Hm", "--user", "me"],
        ["token", "create", "--scope", "everything"], ["token", "create", "--database", ""], ["token", "revoke"],
        ["remove", "--token-file", ""],
        ["serve", "--seed", "x", "--no-seed"], ["nonsense"], ["cache", "nonsense"],
        ["graph", "--format", "svg"], ["graph", "nonsense"],
        ["load", "--pages", "3", "--all"], ["load", "--color", "red"],
        ["load", "-v", "-q"], ["image", "811"], ["image"],
        ["publish", "-", "--token-file", "-"], ["completions", "csh"],
        ["reply", "8112", "-", "--user", "me", "--token-file", "-"],
    ])
    func `invalid arguments are a usage error`(arguments: [String]) async throws {
        let result = try await FeedCommand.run(arguments, home: home)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: "))
        #expect(result.output == "")
    }

    @Test func `an invalid host is one clear sentence`() async throws {
        let result = try await FeedCommand.run("serve", "--host", "256.1.1.1", "--port", "0", home: home)
        #expect(result.status == 1)
        #expect(result.error.contains("256.1.1.1"))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    private struct Feed: Decodable {
        struct Item: Decodable, Equatable {
            let id: UUID
            let url: URL
        }

        struct Failure: Decodable {
            let kind: String
        }

        let source: String
        let failure: Failure?
        let missingImages: Int
        let items: [Item]
    }

    private struct CommentList: Decodable {
        struct Item: Decodable {
            let message: String
        }

        let items: [Item]
    }
}

import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// `feed backup`, `/health` of the page, and the log of servers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OperatingCommandTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }
    private let id = "00000000-0000-4000-8000-0000000000AA"
    private let nowhere = "http://127.0.0.1:1/"

    init() throws {
        directory = try TemporaryDirectory()
        try StubItem.gif.write(to: directory.url.appending(path: "dot.gif"))
    }

    private func feed(_ arguments: String..., token: String? = nil) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: home, token: token)
    }

    private func status(of path: String, from server: String) async throws -> Int {
        let port = try #require(URL(string: server)?.port)
        return try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
            try await client.execute(TestClient.Request(path, method: .get, authority: "127.0.0.1")).status.code
        }
    }

    @Test func `a backup of a running backend has everything, and is restored`() async throws {
        let server = try FeedProcess(["serve", "--originals-only", "--port", "0", "--no-seed"], home: home)
        let remote = try await server.printed("Backend:")
        let token = try await feed("token", "create").output.trimmingCharacters(in: .newlines)
        let dot = home.appending(path: "dot.gif").path
        let published = try await feed("publish", dot, "--id", id, "--remote", remote, token: token)
        #expect(published.status == 0, "\(published.error)")
        let backups = home.appending(path: "backups", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
        let copy = backups.appending(path: "copy.sqlite").path

        let made = try await feed("backup", copy, "--json")
        #expect(made.status == 0, "\(made.error)")
        #expect(made.output.contains(#""file" : "\#(copy)""#))
        #expect(try FileManager.default.contentsOfDirectory(atPath: backups.path) == ["copy.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let before = try Data(contentsOf: URL(filePath: copy))
        let again = try await feed("backup", copy)
        #expect(again.status == 1)
        #expect(
            again.error == "Error: \(copy) exists and is left unchanged. Choose another file, or remove it first.\n"
        )
        #expect(try Data(contentsOf: URL(filePath: copy)) == before)
        #expect(try await feed("remove", id, "--remote", remote, token: token).status == 0)
        server.interrupt()
        #expect(try await server.finish().status == 0)

        let restored = try FeedProcess(
            ["serve", "--originals-only", "--port", "0", "--no-seed", "--database", copy],
            home: home
        )
        let address = try await restored.printed("Backend:")
        let image = home.appending(path: "restored.gif").path
        let loaded = try await feed("image", id, "-o", image, "--store", "memory", "--remote", address)
        #expect(loaded.status == 0, "\(loaded.error)")
        #expect(try Data(contentsOf: URL(filePath: image)) == StubItem.gif)
        let removed = try await feed("remove", id, "--remote", address, token: token)
        #expect(removed.status == 0, "the copy has the token: \(removed.error)")
        restored.interrupt()
        #expect(try await restored.finish().status == 0)
    }

    @Test func `without a database nothing is created`() async throws {
        let missing = home.appending(path: "missing.sqlite").path
        let copy = home.appending(path: "copy.sqlite").path
        let result = try await feed("backup", copy, "--database", missing)
        #expect(result.status == 1)
        #expect(result.error == "Error: There is no database \(missing). Name it with --database.\n")
        #expect(!FileManager.default.fileExists(atPath: missing))
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try await feed("token", "list").status == 0)
        let unwritable = try await feed("backup", "/dev/null/copy.sqlite")
        #expect(unwritable.status == 1)
        #expect(unwritable.error.hasPrefix("Error: /dev/null/copy.sqlite cannot be written: Not a directory."))
    }

    @Test func `a page without a backend is healthy, and logs the outage once with its time and its reason`()
        async throws
    {
        let web = try FeedProcess(["web", "--port", "0", "--remote", nowhere], home: home)
        let page = try await web.printed("Page:")
        #expect(try await status(of: "/health", from: page) == 204)
        for _ in 0..<2 { _ = try await status(of: "/", from: page) }
        web.interrupt()
        let result = try await web.finish()
        #expect(result.status == 0)
        let outages = result.error.split(separator: "\n").filter { $0.contains("The backend cannot be reached") }
        #expect(outages.count == 1, "\(result.error)")
        let line = try #require(outages.first)
        #expect(line.contains(/^20[0-9-]+T[0-9:]+Z warning: The backend cannot be reached \(error: .*127\.0\.0\.1/))
    }

    @Test func `a page logs when its backend can be reached again`() async throws {
        let port = try ReservedPort()
        let remote = "http://127.0.0.1:\(port.number)/"
        let web = try FeedProcess(["web", "--port", "0", "--remote", remote], home: home)
        let page = try await web.printed("Page:")
        _ = try await status(of: "/", from: page)
        let server = try FeedProcess(["serve", "--port", "\(port.number)", "--no-seed"], home: home)
        _ = try await server.printed("Backend:")
        _ = try await status(of: "/", from: page)
        web.interrupt()
        let log = try await web.finish().error
        server.interrupt()
        #expect(try await server.finish().status == 0)
        let lines = log.split(separator: "\n").filter { $0.contains("The backend can") }
        #expect(lines.count == 2, "\(log)")
        #expect(lines.last?.contains("Z warning: The backend can be reached again") == true)
    }

    @Test func `the verbose log has requests, and nothing of the frameworks' own objects`() async throws {
        let server = try FeedProcess(["serve", "--originals-only", "--port", "0", "--no-seed", "-v"], home: home)
        let remote = try await server.printed("Backend:")
        #expect(try await status(of: "/v1/feed?x=secret", from: remote) == 200)
        server.interrupt()
        let log = try await server.finish().error
        #expect(log.contains(/Z debug: Request \(method: GET, path: \/v1\/feed, request [0-9a-f]+, trace [0-9a-f]+\)/))
        #expect(log.contains("FeedFeature.LoadFeed took"))
        #expect(!log.contains("service") && !log.contains("sl-") && !log.contains("secret"), "\(log)")
    }
}

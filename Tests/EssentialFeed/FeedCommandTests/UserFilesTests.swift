import FeedComposition
import FeedTesting
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Files of the user, which no command changes, moves, or opens to others.
@Suite(.serialized) struct UserFilesTests {
    private static let nowhere = "http://127.0.0.1:1"
    private static let image = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"

    private let directory: TemporaryDirectory
    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Each option that names a file of the program, as the end of a command.
    static let commands = [
        ["cache", "--cache"], ["cache", "clear", "--cache"], ["cache", "remove-invalid", "--cache"],
        ["load", "--no-images", "--remote", nowhere, "--cache"], ["image", image, "--remote", nowhere, "--cache"],
        ["web", "--port", "0", "--cache"], ["demo", "--no-seed", "--web-port", "0", "--backend-port", "0", "--cache"],
        ["web", "--port", "0", "--outbox"], ["outbox", "--outbox"],
        ["outbox", "send", "--remote", nowhere, "--outbox"],
        ["serve", "--port", "0", "--database"], ["backup", "copy.sqlite", "--database"],
        ["token", "list", "--database"], ["token", "create", "--database"],
    ]

    @Test(arguments: commands)
    func `a file of the user is refused by name, and nothing in its folder changes`(command: [String]) async throws {
        let folder = home.appending(path: "mine", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "folder"),
            withIntermediateDirectories: true
        )
        try Data("diary".utf8).write(to: folder.appending(path: "diary.txt"))
        try Data([0xFF, 0xD8, 0xFF] + Array(repeating: 7, count: 5_000)).write(to: folder.appending(path: "cat.jpg"))
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "link"),
            withDestinationURL: folder.appending(path: "diary.txt")
        )
        try #require(unsafe mkfifo(folder.appending(path: "pipe").path, 0o600) == 0)
        let made = try await FeedCommand.run("cache", "clear", "--cache", home.path + "/cache.sqlite", home: home)
        let backend = try await FeedCommand.run(
            "token",
            "list",
            "--database",
            home.path + "/backend.sqlite",
            home: home
        )
        #expect(made.status == 0 && backend.status == 0)
        let other = command.last == "--cache" ? "backend.sqlite" : "cache.sqlite"
        try FileManager.default.copyItem(at: home.appending(path: other), to: folder.appending(path: other))
        let before = try Snapshot(folder)

        for name in ["diary.txt", "cat.jpg", "link", "pipe", "folder", other] {
            let path = folder.appending(path: name).path
            let result = try await FeedCommand.run(command + [path], home: home)

            #expect(result.status == 1, "\(name)")
            #expect(result.error.contains("is not a file of this kind"), "\(name): \(result.error)")
            #expect(result.error.contains(name == "link" ? "diary.txt" : name))
            #expect(result.error.contains("It is left unchanged. Choose another path."))
            #expect(try Snapshot(folder) == before, "\(name)")
        }
    }

    @Test(arguments: [["cache"], ["cache", "show", "--json"], ["outbox"], ["graph"]])
    func `a command that shows something creates no files`(command: [String]) async throws {
        let result = try await FeedCommand.run(command, home: home)

        #expect(result.status == 0)
        let made = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { !$0.hasPrefix("run-") }
        #expect(made == [])
    }

    @Test(arguments: [["cache", "--cache"], ["outbox", "--outbox"]])
    func `a command that shows something leaves an empty file empty`(command: [String]) async throws {
        let file = home.appending(path: "empty")
        try Data().write(to: file)

        let result = try await FeedCommand.run(command + [file.path], home: home)

        #expect(result.status == 0)
        #expect(try Data(contentsOf: file).isEmpty)
        let made = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { !$0.hasPrefix("run-") }
        #expect(made == ["empty"])
    }

    @Test(arguments: ["000", "022"])
    func `files and folders are for their owner only`(mask: String) async throws {
        for command in [["cache", "clear"], ["token", "create"], ["outbox", "send", "--remote", Self.nowhere]] {
            let result = try await FeedProcess(
                ["-c", "umask \(mask); exec \"$0\" \"$@\"", builtExecutable("feed").path] + command,
                home: home,
                program: URL(filePath: "/bin/sh")
            ).finish()
            #expect(result.status == 0, "\(result.error)")
        }
        for folder in ["cache", "data"] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: home.appending(path: folder).path)
            for name in names + [""] {
                let path = home.appending(path: folder).appending(path: name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(path)")
            }
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: home.appending(path: "data").path)
        #expect(Set(files).isSuperset(of: ["essential-feed/backend.sqlite", "essential-feed/outbox.sqlite"]))
    }

    @Test func `without a writable home the feed is loaded and the page runs, with one warning for each file`()
        async throws
    {
        let readOnly = ["XDG_CACHE_HOME": "/proc/nowhere", "XDG_DATA_HOME": "/proc/nowhere"]
        let (loaded, response, ended) = try await withBackend(home: home, seed: .samples) { remote in
            let loaded = try await FeedCommand.run(["load", "--remote", remote], home: home, environment: readOnly)
            let page = try FeedProcess(["web", "--port", "0", "--remote", remote], home: home, environment: readOnly)
            let url = try #require(URL(string: try await page.printed("Page:")))
            let (_, response) = try await URLSession.shared.data(from: url)
            page.interrupt()
            return (loaded, response, try await page.finish())
        }

        #expect(loaded.status == 0)
        #expect(loaded.output.contains("Dandelion seed heads in a meadow, lit by the low sun"))
        #expect(loaded.error.ranges(of: "/proc/nowhere").count == 1, "\(loaded.error)")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(ended.status == 0)
        #expect(ended.error.ranges(of: "feed.sqlite").count == 1, "\(ended.error)")
        #expect(ended.error.ranges(of: "outbox.sqlite").count == 1, "\(ended.error)")
    }

    @Test func `with a cache in memory no file is created`() async throws {
        let result = try await FeedCommand.run("cache", "clear", "--store", "memory", home: home)
        #expect(result.status == 0)
        let made = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { !$0.hasPrefix("run-") }
        #expect(made == [])
        let both = try await FeedCommand.run("cache", "--store", "memory", "--cache", "feed.sqlite", home: home)
        #expect(both.status == 64)
    }

    @Test func `an image does not replace another file`() async throws {
        let diary = home.appending(path: "diary.txt")
        try Data("diary".utf8).write(to: diary)
        let new = home.appending(path: "dandelions.jpg")

        try await withBackend(home: home, seed: .samples) { remote in
            func write(to file: URL) async throws -> FeedProcess.Result {
                try await FeedCommand.run("image", Self.image, "-o", file.path, "--remote", remote, home: home)
            }
            let refused = try await write(to: diary)
            #expect(refused.status == 1)
            #expect(refused.error.contains("\(diary.path) exists and is left unchanged."))
            #expect(try Data(contentsOf: diary) == Data("diary".utf8))
            #expect(try await write(to: new).status == 0)
            #expect(try await write(to: new).status == 0, "the file has these bytes")
        }
    }
}

/// The names, contents and permissions of a folder.
private struct Snapshot: Equatable {
    private var files: [String: Data?] = [:]
    private var permissions: [String: Int?] = [:]

    init(_ folder: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            let isRegular = attributes[.type] as? FileAttributeType == .typeRegular
            files[name] = isRegular ? try Data(contentsOf: folder.appending(path: name)) : nil
            permissions[name] = attributes[.posixPermissions] as? Int
        }
    }
}

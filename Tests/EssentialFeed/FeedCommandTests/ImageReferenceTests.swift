import FeedTesting
import Foundation
import Testing

/// Images named by the beginning of their ids, with a stub of the server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ImageReferenceTests {
    private let directory: TemporaryDirectory
    private let nowhere = "http://127.0.0.1:1/"
    private let items = [
        StubItem("AAAAAAAA", "a cat"), StubItem("AAAABBBB", "a dog"), StubItem("CCCCCCCC", "a fish"),
    ]

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func feed(_ arguments: String...) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: directory.url)
    }

    @Test(arguments: ["CCCC", "cccccccc", "cccccccc-00", "CCCCCCCC0000", "CCCCCCCC-0000-4000-8000-0000000000AA"])
    func `an image is found in the server's feed by its id or the beginning of it`(id: String) async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("image", id, "--remote", remote, "--json")
            #expect(result.status == 0, "\(result.error)")
            let image = try JSONDecoder().decode(Image.self, from: Data(result.output.utf8))
            #expect(image.id.uuidString == items[2].id)
            #expect(image.description == "a fish")
            #expect(image.mediaType == "image/png")
            #expect(image.bytes == StubItem.png.count)
        }
    }

    @Test func `a cached image is found without a server`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let loaded = try await feed("load", "--remote", remote)
            #expect(loaded.status == 0)
        }
        let file = directory.url.appending(path: "fish.png")
        let result = try await feed("image", "cccc", "--remote", nowhere, "-o", file.path)
        #expect(result.status == 0, "\(result.error)")
        #expect(try Data(contentsOf: file) == StubItem.png)
        #expect(result.error == "\(StubItem.png.count) bytes written to \(file.path)\n")
    }

    @Test func `a pipe gets the bytes`() async throws {
        try await withServer(feedRouter(of: items) { Data("GIF89a, in ASCII".utf8) }) { remote in
            for options in [[], ["-o", "-"]] {
                let result = try await FeedCommand.run(
                    ["image", "cccc", "--remote", remote] + options,
                    home: directory.url
                )
                #expect(result.output == "GIF89a, in ASCII")
            }
        }
    }

    @Test(arguments: [["image"], ["comments"], ["remove"], ["reply"]])
    func `an ambiguous beginning is an error that lists the ids`(command: [String]) async throws {
        let rest = command == ["reply"] ? ["Hm", "--user", "me"] : []
        try await withServer(feedRouter(of: items)) { remote in
            let arguments = command + ["aaaa"] + rest + ["--remote", remote]
            let result = try await FeedCommand.run(arguments, home: directory.url)
            #expect(result.status == 1)
            #expect(
                result.error == """
                    Error: 2 images have an id that begins with aaaa: \(items[0].id), \(items[1].id). Write more of the id.

                    """
            )
            #expect(result.output == "")
        }
    }

    @Test(arguments: [["image"], ["comments"], ["remove"], ["reply"]])
    func `an unknown beginning is an error that says where the ids are`(command: [String]) async throws {
        let rest = command == ["reply"] ? ["Hm", "--user", "me"] : []
        try await withServer(feedRouter(of: items)) { remote in
            let arguments = command + ["dddd"] + rest + ["--remote", remote]
            let result = try await FeedCommand.run(arguments, home: directory.url)
            #expect(result.status == 1)
            #expect(
                result.error == """
                    Error: No image of the feed has an id that begins with dddd. "feed load --all" prints the ids.

                    """
            )
        }
    }

    @Test func `an unknown id has no image`() async throws {
        let id = "DDDDDDDD-0000-4000-8000-0000000000AA"
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("image", id, "--remote", remote)
            #expect(result.status == 1)
            #expect(result.error == "Error: There is no image \(id).\n")
        }
    }

    @Test func `the beginning of an id needs the server if it is not cached`() async throws {
        let result = try await feed("image", "dddd", "--remote", nowhere)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("Error: The server could not be reached: "))
    }

    private struct Image: Decodable {
        let id: UUID
        let description: String?
        let mediaType: String?
        let bytes: Int
    }
}

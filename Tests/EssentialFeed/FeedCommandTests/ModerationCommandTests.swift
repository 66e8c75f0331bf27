import FeedTesting
import Foundation
import Testing

/// `feed edit`, `feed remove --comment`, and commands for images that were published or removed before.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ModerationCommandTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }
    private let id = "00000000-0000-4000-8000-0000000000AA"
    private let other = "00000000-0000-4000-8000-0000000000BB"

    init() throws {
        directory = try TemporaryDirectory()
        try StubItem.gif.write(to: directory.url.appending(path: "dot.gif"))
    }

    private func feed(_ arguments: String..., token: String? = nil) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: home, token: token)
    }

    private func makeToken(_ arguments: String...) async throws -> String {
        let result = try await FeedCommand.run(["token", "create"] + arguments, home: home)
        #expect(result.status == 0, "\(result.error)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// Runs `body` with the address of a backend with one image, and the token of its publisher.
    private func withImage(body: (_ remote: String, _ token: String) async throws -> Void) async throws {
        try await withBackend(home: home) { remote in
            let token = try await makeToken("--name", "ann", "--display-name", "Ann")
            let image = ["publish", home.appending(path: "dot.gif").path, "--id", id, "--remote", remote]
            let texts = ["--description", "-x", "--caption", "Mine", "--location", "Athens"]
            let published = try await FeedCommand.run(image + texts, home: home, token: token)
            #expect(published.status == 0, "\(published.error)")
            try await body(remote, token)
        }
    }

    private func item(_ remote: String) async throws -> Item? {
        let loaded = try await feed("load", "--json", "--no-images", "--remote", remote)
        return try JSONDecoder().decode(Loaded.self, from: Data(loaded.output.utf8)).items.first
    }

    @Test func `only the texts that are given are corrected, and an empty one is removed`() async throws {
        try await withImage { remote, token in
            #expect(
                try await item(remote) == Item(description: "-x", caption: "Mine", location: "Athens", author: "Ann")
            )
            let edited = try await feed("edit", "0000", "--caption", "- Ours", "--remote", remote, token: token)
            #expect(edited.status == 0, "\(edited.error)")
            #expect(edited.error == "Corrected the texts of the image \(id).\n")
            #expect(
                try await item(remote) == Item(description: "-x", caption: "- Ours", location: "Athens", author: "Ann")
            )
            let json = try await feed("edit", id, "--location", "", "--remote", remote, "--json", token: token)
            #expect(
                json.output.filter { !$0.isWhitespace } == #"{"id":"\#(id)","location":""}"#
            )
            #expect(try await item(remote) == Item(description: "-x", caption: "- Ours", location: nil, author: "Ann"))
        }
        let nothing = try await feed("edit", id, token: "t")
        #expect(nothing.status == 64)
        #expect(nothing.error.contains("Give at least one of --description, --caption and --location."))
    }

    @Test func `others need the permission to moderate`() async throws {
        try await withImage { remote, _ in
            let stranger = try await makeToken()
            let moderator = try await makeToken("--scope", "moderate")
            for command in [["edit", id, "--caption", "x"], ["remove", id]] {
                let arguments = command + ["--remote", remote]
                let refused = try await FeedCommand.run(arguments, home: home, token: stranger)
                #expect(refused.status == 77)
                #expect(refused.error.contains(#"others need the permission "moderate""#), "\(refused.error)")
                let accepted = try await FeedCommand.run(arguments, home: home, token: moderator)
                #expect(accepted.status == 0, "\(accepted.error)")
            }
        }
    }

    @Test func `a comment is removed by the id that is printed with it`() async throws {
        try await withImage { remote, token in
            for text in ["First", "Second"] {
                let posted = try await feed("reply", id, text, "--user", "-me", "--remote", remote)
                #expect(posted.status == 0, "\(posted.error)")
            }
            let before = try await feed("comments", id, "--remote", remote).output
            #expect(before.hasPrefix("Comments · 2\n"))
            let comment = String(try #require(before.firstMatch(of: /-me, .* \(([0-9A-F-]{36})\)\n  First/)?.1))

            let removed = try await feed(
                "remove",
                "0000",
                "--comment",
                String(comment.prefix(8)),
                "--remote",
                remote,
                "--json",
                token: token
            )
            #expect(removed.status == 0, "\(removed.error)")
            #expect(
                removed.output.filter { !$0.isWhitespace } == #"{"id":"\#(comment)","imageID":"\#(id)"}"#
            )
            #expect(removed.error == "Removed the comment \(comment).\n")
            let after = try await feed("comments", id, "--remote", remote).output
            #expect(!after.contains("First") && after.contains("Second"))

            let again = try await feed("remove", id, "--comment", comment, "--remote", remote, token: token)
            #expect(again.status == 0)
            #expect(again.error == "Removed the comment \(comment).\n")
        }
    }

    @Test func `earlier comments are printed page by page, and removed like others`() async throws {
        try await withImage { remote, token in
            for text in ["First", "Second", "Third"] {
                #expect(try await feed("reply", id, text, "--user", "me", "--remote", remote).status == 0)
            }
            let newest = try await feed("comments", id, "--limit", "2", "--remote", remote)
            #expect(newest.output.hasPrefix("Comments · 2\n"))
            #expect(!newest.output.contains("First"))
            let second = String(try #require(newest.output.firstMatch(of: /\(([0-9A-F-]{36})\)\n  Second/)?.1))
            #expect(newest.error == "There are earlier comments. To print them, add --before \(second)\n")

            let end = String(second.prefix(8))
            let earlier = try await feed("comments", id, "--limit", "2", "--before", end, "--remote", remote)
            #expect(earlier.output.contains("First") && !earlier.output.contains("Second"))
            #expect(earlier.error == "")
            let json = try await feed("comments", id, "--limit", "2", "--remote", remote, "--json").output
            #expect(json.contains(#""hasEarlier" : true"#))

            let first = String(try #require(earlier.output.firstMatch(of: /\(([0-9A-F-]{36})\)\n  First/)?.1))
            let none = try await feed("comments", id, "--before", first, "--remote", remote)
            #expect(none.output == "Comments\n")
            let unknown = try await feed("comments", id, "--before", id, "--remote", remote)
            #expect(unknown.error.contains("before_id must be the id of a comment on the image."))
        }
    }

    @Test func `an image that never existed is an error, and one that was removed before is not`() async throws {
        try await withImage { remote, token in
            let unknown = try await feed("remove", other, "--remote", remote, token: token)
            #expect(unknown.status == 1)
            #expect(unknown.error == "Error: There is no image \(other).\n")
            let removed = try await feed("remove", id, "--remote", remote, token: token)
            #expect(removed.error == "Removed the image \(id) and its comments.\n")
            let again = try await feed("remove", id, "--remote", remote, "--json", token: token)
            #expect(again.status == 0)
            #expect(again.error == "The image \(id) was removed before.\n")
            #expect(again.output.contains(#""wasRemoved" : true"#))
        }
    }

    @Test func `an image that was published before is left as it is, with advice`() async throws {
        try await withImage { remote, token in
            let file = home.appending(path: "dot.gif").path
            let again = try await feed(
                "publish",
                file,
                "--description",
                "Better",
                "--id",
                id,
                "--remote",
                remote,
                "--json",
                token: token
            )
            #expect(again.status == 0, "\(again.error)")
            #expect(again.output.contains(#""isNew" : false"#))
            #expect(again.error.contains("was published before, and nothing was changed."))
            #expect(again.error.contains("feed edit \(id)\n"))
            #expect(try await item(remote)?.description == "-x")

            try GIFBytes.file(Array(repeating: GIFBytes.image(), count: 2)).write(to: home.appending(path: "two.gif"))
            let two = home.appending(path: "two.gif").path
            let other = try await feed("publish", two, "--id", id, "--remote", remote, token: token)
            #expect(other.status == 1)
            #expect(other.error == "Error: The id \(id) was used for something else. Send this with a new id.\n")
        }
    }

    @Test func `a file above the limit is refused before it is sent`() async throws {
        let file = home.appending(path: "large.jpg")
        let scan = [UInt8](repeating: 0, count: 17_000_000)
        try JPEGBytes.file(scan: scan).write(to: file)
        let result = try await feed("publish", file.path, "--remote", "http://127.0.0.1:1/", token: "t")
        #expect(result.status == 1)
        #expect(result.error.contains("without its metadata, and an image has at most 16777216 (16 MB)."))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    private struct Loaded: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable, Equatable {
        let description: String?
        let caption: String?
        let location: String?
        let author: String?
    }
}

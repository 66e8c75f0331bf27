import FeedComposition
import FeedTesting
import Foundation
import Testing

/// `feed publish`, `feed remove`, `feed reply` and `feed token`.
@Suite(.serialized) struct SendingCommandTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }
    /// One of the bundled images.
    private let sample = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"
    private let new = "00000000-0000-4000-8000-0000000000AA"

    init() throws {
        directory = try TemporaryDirectory()
        // The smallest possible image: one transparent pixel.
        let dot = try #require(Data(base64Encoded: "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="))
        try dot.write(to: directory.url.appending(path: "dot.gif"))
    }

    private func feed(_ arguments: String..., token: String? = nil) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: home, token: token)
    }

    /// Creates a token with `feed token create`, and returns it.
    private func makeToken(_ arguments: String...) async throws -> String {
        let result = try await FeedCommand.run(["token", "create"] + arguments, home: home)
        #expect(result.status == 0, "\(result.error)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    private var dot: String { home.appending(path: "dot.gif").path }

    @Test func `an image is published, commented on, shown and removed`() async throws {
        try await withBackend(home: home, seed: .samples) { remote in
            // The backend is running already and needs no restart.
            let token = try await makeToken()
            #expect(token.wholeMatch(of: /feed_[A-Za-z0-9_-]{43}/) != nil, "and nothing else on standard output")
            let published = try await feed(
                "publish",
                dot,
                "--description",
                "A dot",
                "--id",
                new,
                "--remote",
                remote,
                token: token
            )
            #expect(published.status == 0, "\(published.error)")
            #expect(published.output == "\(new)\n")
            let commented = try await feed("reply", new, "So small!", "--user", "me", "--remote", remote)
            #expect(commented.status == 0, "\(commented.error)")
            let comments = try await feed("comments", new, "--remote", remote)
            #expect(comments.output.contains("So small!"))
            let loaded = try await feed("load", "--limit", "1", "--remote", remote)
            #expect(loaded.output.contains("A dot"))
            #expect(loaded.output.contains(new))
            let removed = try await feed("remove", new, "--remote", remote, token: token)
            #expect(removed.status == 0, "\(removed.error)")
            let missing = try await feed("comments", new, "--remote", remote)
            #expect(missing.status == 1)
            #expect(missing.error == "Error: The image \(new) was removed, and its id cannot be used again.\n")
            let again = try await feed("publish", dot, "--id", new, "--remote", remote, token: token)
            #expect(again.status == 1)
            #expect(again.error == "Error: The image \(new) was removed, and its id cannot be used again.\n")
        }
    }

    @Test func `metadata is removed before an image is sent, and the command says so`() async throws {
        let token = try await makeToken()
        let exif = JPEGBytes.segment(0xE1, "Exif\0\0", EXIFBytes.block(hasLocation: true))
        let photograph = home.appending(path: "photograph.jpg")
        try JPEGBytes.file([exif], trailing: [1, 2]).write(to: photograph)
        try await withBackend(home: home) { remote in
            let publish = ["publish", photograph.path, "--id", new, "--remote", remote]
            let published = try await FeedCommand.run(publish, home: home, token: token)
            #expect(published.output == "\(new)\n")
            let sentence = """
                Removed before publishing: place, camera, time and owner (EXIF), data after the end of the image
                """
            #expect(published.error == "Published the image.\n\(sentence)\n")
            let json = try await FeedCommand.run(publish + ["--json"], home: home, token: token).output
            let expected = #""removed":["location","exif","trailing"]"#
            #expect(json.filter { !$0.isWhitespace }.contains(expected), "\(json)")
            let file = home.appending(path: "readers.jpg")
            let shown = try await feed("image", new, "--remote", remote, "--output", file.path)
            #expect(shown.status == 0, "\(shown.error)")
            #expect(try Data(contentsOf: file) == JPEGBytes.file())
        }
    }

    @Test func `a file that is not a complete image is refused with the reason`() async throws {
        let half = home.appending(path: "half.jpg")
        try Data.tinyImage.dropLast().write(to: half)
        let result = try await feed("publish", half.path, "--remote", "http://127.0.0.1:1/", token: "t")
        #expect(result.status == 1)
        let reason = "ends before the image is complete, as after an interrupted copy or upload."
        #expect(result.error == "Error: \(half.path) \(reason) Copy or export it again.\n")
    }

    @Test func `a comment waits until the server can be reached, and is then posted once`() async throws {
        let away = try await feed("reply", sample, "First", "--user", "me", "--remote", "http://127.0.0.1:1/", "--json")
        #expect(away.status == 0, "\(away.error)")
        #expect(away.output.contains(#""state" : "waiting""#), "\(away.output)")
        let listed = try await feed("outbox", "--remote", "http://127.0.0.1:1/")
        #expect(listed.output.contains("First"))
        try await withBackend(home: home, seed: .samples) { remote in
            // A later comment does not overtake the one that waits.
            let reply = try await feed("reply", sample, "Second", "--user", "me", "--remote", remote)
            #expect(reply.status == 0, "\(reply.error)")
            let empty = try await feed("outbox", "--remote", remote, "--json")
            #expect(empty.output.contains(#""items" : ["#) && !empty.output.contains("First"), "\(empty.output)")
            let comments = try await feed("comments", sample, "--remote", remote).output
            let first = try #require(comments.firstRange(of: "First"))
            let second = try #require(comments.firstRange(of: "Second"))
            #expect(first.lowerBound < second.lowerBound)
            #expect(comments.ranges(of: "First").count == 1)
        }
    }

    @Test(arguments: [
        (
            "en", "The server asks to wait 60 seconds before the next comment, so this one is sent later.",
            "when the server accepts it."
        ),
        (
            "el", "Ο διακομιστής ζητά αναμονή 60 δευτερολέπτων πριν από το επόμενο σχόλιο, οπότε",
            "μόλις ο διακομιστής το δεχτεί."
        ),
        (
            "pt-BR", "O servidor pede para aguardar 60 segundos antes do próximo comentário; este",
            "quando o servidor o aceitar."
        ),
    ])
    func `a comment beyond the server's quota waits, and the note says why`(
        language: String,
        why: String,
        until: String
    )
        async throws
    {
        try await withBackend(home: home, seed: .samples, commentsPerMinute: 1) { remote in
            for (text, state) in [("First", "posted"), ("Second", "waiting"), ("Third", "waiting")] {
                let options = ["--remote", remote, "--language", language, "--json"]
                let reply = try await FeedCommand.run(["reply", sample, text, "--user", "me"] + options, home: home)
                #expect(reply.status == 0, "\(reply.error)")
                #expect(reply.output.contains(#""state" : "\#(state)""#), "\(reply.output)")
                #expect(reply.error.contains(until) == (state == "waiting"), "\(reply.error)")
                // The server may have answered within its first second.
                let note = reply.error.replacing(/5\d/, with: "60")
                #expect(note.contains(why) == (text == "Second"), "\(reply.error)")
            }
            #expect(try await feed("outbox", "--remote", remote).output.contains("Second"))
        }
        #expect(try await feed("serve", "--comments-per-minute", "0").status == 64)
        for address in ["example", "", "...", "abc", "999.1.1.1", "１.2.3.4"] {
            #expect(try await feed("serve", "--page-server", address).status == 64, "\(address)")
        }
    }

    @Test func `a comment that the server refuses can be dropped`() async throws {
        let away = try await feed("reply", new, "Nowhere", "--user", "me", "--remote", "http://127.0.0.1:1/")
        #expect(away.status == 0, "\(away.error)")
        try await withBackend(home: home, seed: .samples) { remote in
            let sent = try await feed("outbox", "send", "--remote", remote)
            #expect(sent.output.contains("failed: There is no image \(new)."), "\(sent.output)")
            let id = try #require(sent.output.matches(of: /([0-9A-F]{8})-[0-9A-F-]{27}/).last).1
            let dropped = try await feed("outbox", "drop", "\(id)", "--remote", remote)
            #expect(dropped.status == 0, "\(dropped.error)")
            #expect(!dropped.output.contains("Nowhere"))
            let unknown = try await feed("outbox", "drop", "\(id)", "--remote", remote)
            #expect(unknown.status == 1)
        }
    }

    @Test func `watch prints a comment that another program posts`() async throws {
        try await withBackend(home: home, seed: .samples) { remote in
            let watch = try FeedProcess(["watch", sample, "--remote", remote, "--json"], home: home)
            try await watch.hasPrinted(#""message":"#)
            let reply = try await feed("reply", sample, "Live", "--user", "me", "--remote", remote)
            #expect(reply.status == 0, "\(reply.error)")
            try await watch.hasPrinted(#""message":"Live""#)
            watch.interrupt()
            _ = try await watch.finish()
        }
    }

    @Test func `a picture that the feed has is published again only on request`() async throws {
        let token = try await makeToken()
        try await withBackend(home: home) { remote in
            #expect(try await feed("publish", dot, "--id", new, "--remote", remote, token: token).status == 0)
            let refused = try await feed("publish", dot, "--remote", remote, token: token)
            #expect(refused.status == 1)
            #expect(refused.output == "")
            #expect(
                refused.error == """
                    Error: The feed has this picture already, as the image \(new). To publish it again, add \
                    --allow-duplicate.

                    """
            )
            #expect(try await feed("publish", dot, "--id", new, "--remote", remote, token: token).status == 0)
        }
    }

    @Test func `without an id each publication gets a new one`() async throws {
        let token = try await makeToken()
        try await withBackend(home: home) { remote in
            let ids = [
                try await feed("publish", dot, "--remote", remote, token: token).output,
                try await feed("publish", dot, "--allow-duplicate", "--remote", remote, token: token).output,
            ]
            #expect(Set(ids).count == 2)
            for id in ids { #expect(UUID(uuidString: String(id.dropLast())) != nil, "\(id)") }
        }
    }

    @Test(arguments: [
        (
            "el",
            [
                "Η εικόνα δημοσιεύτηκε.", "είχε ήδη δημοσιευτεί", "Τα κείμενα της εικόνας", "Δημοσιεύτηκε ένα σχόλιο",
                "και τα σχόλιά της αφαιρέθηκαν.", "είχε ήδη αφαιρεθεί.", "Κανένα σχόλιο δεν περιμένει",
                "στα εξερχόμενα",
            ],
            ["ΣΧΟΛΙΟ", "ΚΑΤΑΣΤΑΣΗ", "ΕΙΚΟΝΑ", "σε αναμονή"]
        ),
        (
            "pt-BR",
            [
                "Imagem publicada.", "já tinha sido publicada", "Textos da imagem", "Comentário publicado",
                "removida, com seus comentários.", "já tinha sido removida.", "Nenhum comentário espera",
                "caixa de saída",
            ],
            ["COMENTÁRIO", "ESTADO", "IMAGEM", "aguardando"]
        ),
    ])
    func `notes about changes are in the reader's language`(language: String, notes: [String], list: [String])
        async throws
    {
        let token = try await makeToken()
        var results: [FeedProcess.Result] = []
        try await withBackend(home: home) { remote in
            for arguments in [
                ["publish", dot, "--id", new], ["publish", dot, "--id", new], ["edit", new, "--caption", "A dot"],
                ["reply", new, "Hm", "--user", "me"], ["remove", new], ["remove", new], ["outbox"],
            ] {
                let options = ["--remote", remote, "--language", language]
                results.append(try await FeedCommand.run(arguments + options, home: home, token: token))
            }
        }
        let away = ["--remote", "http://127.0.0.1:1/", "--language", language]
        results.append(try await FeedCommand.run(["reply", new, "Hm", "--user", "me"] + away, home: home))
        for (result, note) in zip(results, notes) {
            #expect(result.status == 0 && result.error.contains(note), "\(result.error)")
        }
        let waiting = try await FeedCommand.run(["outbox"] + away, home: home)
        for word in list { #expect(waiting.output.contains(word), "\(waiting.output)") }
        let json = try await FeedCommand.run(["outbox", "--json"] + away, home: home)
        #expect(json.output.contains(#""state" : "waiting""#))
    }

    @Test func `the token may be in a file`() async throws {
        let file = home.appending(path: "token")
        try Data((try await makeToken() + "\n").utf8).write(to: file)
        try await withBackend(home: home, seed: .samples) { remote in
            let removed = try await feed("remove", sample, "--remote", remote, "--token-file", file.path)
            #expect(removed.status == 0, "\(removed.error)")
        }
    }

    @Test func `without a valid token nothing is published or removed, and the error says how to get one`() async throws
    {
        try await withBackend(home: home, seed: .samples) { remote in
            for token in [nil, "feed_nonsense"] {
                for arguments in [["publish", dot], ["remove", sample]] {
                    let result = try await FeedCommand.run(arguments + ["--remote", remote], home: home, token: token)
                    #expect(result.status == 77)
                    #expect(result.error.hasPrefix("Error: The server requires a valid token for this."))
                    #expect(result.error.contains(#"Create one with "feed token create""#))
                    #expect(result.error.split(separator: "\n").count == 1)
                    #expect(!result.error.contains("nonsense"))
                    #expect(result.output == "")
                }
            }
            #expect(try await feed("comments", sample, "--remote", remote).status == 0)
        }
    }

    @Test func `closed comments require a token for comments`() async throws {
        try await withBackend(home: home, seed: .samples, closedComments: true) { remote in
            let publisher = try await makeToken()
            let commenter = try await makeToken("--scope", "comment")
            let stranger = try await feed("reply", sample, "Mew", "--user", "me", "--remote", remote)
            #expect(stranger.status == 77)
            #expect(stranger.error.contains("The server requires a valid token"))
            let refused = try await feed("reply", sample, "Mew", "--user", "me", "--remote", remote, token: publisher)
            #expect(refused.status == 77)
            #expect(refused.error.hasPrefix("Error: The token does not permit this."))
            #expect(refused.error.contains("feed token create --scope"))
            let posted = try await feed("reply", sample, "Mew", "--user", "me", "--remote", remote, token: commenter)
            #expect(posted.status == 0, "\(posted.error)")
            #expect(try await feed("comments", sample, "--remote", remote).output.contains("Mew"))
        }
    }

    @Test func `a revoked token is refused`() async throws {
        let token = try await makeToken("--name", "ann", "--scope", "publish", "--scope", "comment")
        let other = try await makeToken("--name", "bob")
        let list = try await feed("token", "list")
        #expect(list.output.contains(/ann +comment, publish/))
        #expect(list.output.contains(/bob +publish/))
        #expect(!list.output.contains("feed_"))
        try await withBackend(home: home, seed: .samples) { remote in
            let published = try await feed("publish", dot, "--remote", remote, token: token)
            #expect(published.status == 0, "\(published.error)")
            #expect(try await feed("token", "revoke", "ann").status == 0)
            #expect(try await feed("publish", dot, "--remote", remote, token: token).status == 77)
            let allowed = try await feed("publish", dot, "--allow-duplicate", "--remote", remote, token: other)
            #expect(allowed.status == 0)
        }
        let again = try await feed("token", "revoke", "ann")
        #expect(again.status == 1)
        #expect(again.error.hasPrefix("Error: There is no token called ann."))
    }

    @Test func `a duplicate or invalid token name is one clear sentence`() async throws {
        #expect(try await feed("token", "list").error.contains("There are no tokens."))
        _ = try await makeToken("--name", "ann")
        let taken = try await feed("token", "create", "--name", "ann")
        #expect(taken.status == 1)
        #expect(taken.output == "")
        #expect(taken.error.hasPrefix("Error: A token called ann already exists."))
        let invalid = try await feed("token", "create", "--name", "a b")
        #expect(invalid.status == 1)
        #expect(invalid.error.hasPrefix("Error: A token's name has 1 to 64 characters"))
    }

    @Test func `tokens belong to one database`() async throws {
        let other = home.appending(path: "other.sqlite").path
        _ = try await makeToken("--name", "ann", "--database", other)
        #expect(try await feed("token", "list").output == "")
        #expect(try await feed("token", "list", "--database", other).output.contains("ann"))
    }

    @Test func `a token is not sent to another machine over http`() async throws {
        let token = try await makeToken()
        let result = try await feed("remove", sample, "--remote", "http://feed.invalid/", token: token)
        #expect(result.status == 77)
        #expect(result.error.hasPrefix("Error: The token was not sent to feed.invalid"))
        #expect(result.error.contains("--token-over-http"))
        #expect(!result.error.contains(token))
    }

    @Test func `an invalid token is refused without showing it`() async throws {
        let result = try await feed("remove", sample, "--remote", "http://127.0.0.1:1/", token: "two words")
        #expect(result.status == 77)
        #expect(result.error.hasPrefix("Error: FEED_TOKEN does not contain a token"))
        #expect(!result.error.contains("two words"))
        let missing = try await feed("remove", sample, "--token-file", home.appending(path: "nowhere").path)
        #expect(missing.status == 1)
        #expect(missing.error.contains("nowhere cannot be read"))
    }

    @Test func `a file that is not an image is refused before anything is sent`() async throws {
        let file = home.appending(path: "page.html")
        try Data("<html>".utf8).write(to: file)
        let result = try await feed("publish", file.path, "--remote", "http://127.0.0.1:1/")
        #expect(result.status == 1)
        #expect(result.error.contains("is not a JPEG, PNG, GIF or WebP image"))
        try Data("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8).write(to: file)
        let photograph = try await feed("publish", file.path, "--remote", "http://127.0.0.1:1/")
        #expect(photograph.status == 1)
        #expect(photograph.error.contains("is a HEIC photograph, which few browsers show. Export it as JPEG: "))
        let missing = try await feed("publish", home.appending(path: "nowhere.jpg").path)
        #expect(missing.status == 1)
        #expect(missing.error.contains("nowhere.jpg cannot be read"))
    }

    @Test func `an empty comment is one clear sentence`() async throws {
        let result = try await feed("reply", sample, " ", "--user", "me", "--remote", "http://127.0.0.1:1/")
        #expect(result.status == 1)
        #expect(result.error == "Error: message must not be empty.\n")
    }
}

import FeedTesting
import Foundation
import Testing

/// The results of all commands as JSON, and the notes of those that change something.
@Suite(.serialized, .timeLimit(.minutes(5))) struct JSONOutputTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }
    private let sample = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func feed(_ arguments: String..., token: String? = nil) async throws -> FeedProcess.Result {
        try await FeedCommand.run(arguments, home: home, token: token)
    }

    /// Decodes the whole output as one JSON object.
    private func json<Value: Decodable>(_ type: Value.Type = Value.self, of result: FeedProcess.Result) throws -> Value
    {
        #expect(result.status == 0, "\(result.error)")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(result.output.utf8))
    }

    @Test func `every command that changes something prints its result and says what it did`() async throws {
        let image = home.appending(path: "dot.gif")
        try StubItem.gif.write(to: image)
        let server = try FeedProcess(["serve", "--originals-only", "--port", "0", "--json"], home: home)
        let remote = try await server.printed(#"{"backend":""#).replacing(#""}"#, with: "")

        let created = try await feed("token", "create", "--name", "ann", "--json")
        let token = try json(Token.self, of: created)
        #expect(token.name == "ann")
        #expect(token.permissions == ["publish"])
        #expect(created.error.contains("feed token revoke ann"))
        let tokens = try json(List<TokenItem>.self, of: await feed("token", "list", "--json"))
        #expect(tokens.items.map(\.name) == ["ann"])

        let published = try await feed("publish", image.path, "--remote", remote, "--json", token: token.token)
        let id = try json(ID.self, of: published).id
        #expect(published.error == "Published the image.\n")
        let replied = try await feed("reply", sample, "Mew", "--user", "me", "--remote", remote, "--json")
        #expect(try json(Posted.self, of: replied).imageID.uuidString == sample)
        #expect(replied.error == "Posted a comment on the image \(sample).\n")
        let removed = try await feed("remove", "\(id)", "--remote", remote, "--json", token: token.token)
        #expect(try json(ID.self, of: removed).id == id)
        #expect(removed.error == "Removed the image \(id) and its comments.\n")

        let revoked = try await feed("token", "revoke", "ann", "--json")
        #expect(try json(Name.self, of: revoked).name == "ann")
        #expect(revoked.error == "Revoked the token ann.\n")
        let none = try await feed("token", "list", "--json")
        #expect(try json(List<TokenItem>.self, of: none).items.isEmpty)
        #expect(none.error == "")
        server.interrupt()
        #expect(try await server.finish().status == 0)
    }

    @Test func `what is unknown is left out, and an empty list is printed`() async throws {
        #expect(
            try await feed("cache", "--json").output == """
                {
                  "isFresh" : false,
                  "items" : [

                  ]
                }

                """
        )
    }

    @Test func `the removal of a cache is counted`() async throws {
        try await withServer(feedRouter(of: [StubItem("AAAAAAAA", "a"), StubItem("BBBBBBBB", "b")])) { remote in
            let loaded = try await feed("load", "--remote", remote, "-q")
            #expect(loaded.error == "", "quiet")
        }
        let kept = try await feed("cache", "remove-invalid", "--json")
        #expect(try json(Removal.self, of: kept).removedImages == 0)
        #expect(kept.error == "The cache is valid or empty; no images were removed.\n")
        let cleared = try await feed("cache", "clear", "--json")
        #expect(try json(Removal.self, of: cleared).removedImages == 2)
        #expect(cleared.error.hasPrefix("Cleared the cache: removed 2 images from \(home.path)"))
        #expect(try await feed("cache", "clear").output == "")
        #expect(try await feed("cache", "clear", "--quiet").error == "")
    }

    @Test func `servers print their addresses as one line`() async throws {
        let demo = try FeedProcess(
            ["demo", "--originals-only", "--json", "--web-port", "0", "--backend-port", "0"],
            home: home
        )
        let addresses = try await demo.printed(#"{"backend":""#)
        #expect(addresses.wholeMatch(of: /http:.*\/","page":"http:.*\/"}/) != nil)
        demo.interrupt()
        #expect(try await demo.finish().output.split(separator: "\n").count == 1)
        let web = try FeedProcess(["web", "--json", "--port", "0"], home: home)
        #expect(try await web.printed(#"{"page":""#).hasPrefix("http:"))
        web.interrupt()
        #expect(try await web.finish().output.split(separator: "\n").count == 1)
    }

    @Test func `the graph lists messages and registrations`() async throws {
        let graphs = try json(Graphs.self, of: await feed("graph", "--json")).graphs
        #expect(graphs.map(\.name) == ["page", "backend"])
        #expect(graphs[0].messages.contains { $0.message == "FeedFeature.LoadFeed" && $0.kind == "query" })
        let handler = graphs[0].registrations.first { $0.name == "LoadFeedHandler" }
        #expect(handler?.lifetime == "transient")
        #expect(handler?.dependencies == ["RemoteDispatcher", "LocalFeedLoader", "QueryCache", "Logger"])
    }

    @Test func `a bare token prints help and creates nothing`() async throws {
        let result = try await feed("token")
        #expect(result.status == 0)
        #expect(result.output.contains("USAGE: feed token <subcommand>"))
        #expect(try await feed("token", "list").error.contains("There are no tokens."))
    }

    private struct ID: Decodable {
        let id: UUID
    }

    private struct Name: Decodable {
        let name: String
    }

    private struct Posted: Decodable {
        let id: UUID
        let imageID: UUID
    }

    private struct Token: Decodable {
        let name: String
        let permissions: [String]
        let token: String
    }

    private struct TokenItem: Decodable {
        let name: String
        let permissions: [String]
        let createdAt: Date
    }

    private struct List<Item: Decodable>: Decodable {
        let items: [Item]
    }

    private struct Removal: Decodable {
        let removedImages: Int
    }

    private struct Graphs: Decodable {
        struct Graph: Decodable {
            struct Message: Decodable {
                let message: String
                let kind: String
                let handler: String
            }

            struct Registration: Decodable {
                let name: String
                let lifetime: String
                let dependencies: [String]
            }

            let name: String
            let messages: [Message]
            let registrations: [Registration]
        }

        let graphs: [Graph]
    }
}

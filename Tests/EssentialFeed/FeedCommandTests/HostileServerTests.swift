import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// The program with a server whose texts are meant for a terminal or a log.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostileServerTests {
    private static let id = "AAAAAAAA-0000-4000-8000-0000000000AA"
    /// A title of the window, a cleared screen, a forged line, and a reversed text, as JSON.
    private static let attack = #"x\u001b]0;owned\u0007\u001b[2J\u009b2J\r\nForged: line\u2028\u202etxt\u2066"#

    private let directory: TemporaryDirectory
    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A server whose comments are an error with texts from it.
    private var router: Router<BasicRequestContext> {
        let router = feedRouter(of: [StubItem("AAAAAAAA", Self.attack)])
        router.get("/v1/image/:id/comments") { _, _ in
            let body = """
                {"type":"urn:essential-feed:invalid-message","status":400,"title":"t","field":"\(Self.attack)",\
                "reason":"\(Self.attack)"}
                """
            return Response(
                status: .badRequest,
                headers: [.contentType: "application/problem+json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: body))
            )
        }
        return router
    }

    private func expectHarmless(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let harmful = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\n"
            default: false
            }
        }
        #expect(harmful.map(\.value) == [], sourceLocation: sourceLocation)
        let lines = text.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("Forged") }, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ["comments", "AAAA"], ["comments", "AAAA", "--json"], ["load", "--no-images"], ["load", "--json"],
        ["load", "-v"], ["comments", "AAAA", "-v"],
    ])
    func `its texts control no terminal, and forge no line`(arguments: [String]) async throws {
        try await withServer(router) { remote in
            let result = try await FeedCommand.run(arguments + ["--remote", remote], home: home)
            #expect((result.output + result.error).contains("Forged: line"))
            expectHarmless(result.output)
            expectHarmless(result.error)
        }
    }

    @Test func `its texts are still the same as JSON`() async throws {
        try await withServer(router) { remote in
            let result = try await FeedCommand.run("load", "--json", "--no-images", "--remote", remote, home: home)
            let expected = try JSONDecoder().decode(String.self, from: Data("\"\(Self.attack)\"".utf8))
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            let items = object?["items"] as? [[String: Any]]
            #expect(items?.first?["description"] as? String == expected)
        }
    }

    @Test(arguments: [1, 2])
    func `its pages of comments repeat, one or two of them, and the search for a comment ends`(
        count: Int
    ) async throws {
        let router = feedRouter(of: [StubItem("AAAAAAAA", "A cat")])
        router.get("/v1/image/:id/comments") { request, _ in
            let isSecond = request.uri.queryParameters.get("before_id") == UUID.fixture(1).uuidString
            return """
                {"items":[{"id":"\(UUID.fixture(isSecond ? count : 1))","message":"Hi",\
                "created_at":"2026-01-01T00:00:00Z","author":{"username":"Ann"}}],"has_earlier":true}
                """
        }
        try await withServer(router) { remote in
            let arguments = ["remove", Self.id, "--comment", "BBBBBBBB", "--remote", remote]
            let result = try await FeedCommand.run(arguments, home: home)
            #expect(result.error.contains("No comment on the image has an id that begins with BBBBBBBB"))
        }
    }

    @Test(arguments: [[], ["-v"]])
    func `its texts forge no line in the log of the page`(options: [String]) async throws {
        try await withServer(router) { remote in
            let web = try FeedProcess(["web", "--port", "0", "--remote", remote] + options, home: home)
            let port = try #require(URL(string: try await web.printed("Page:"))?.port)
            let answer = try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                try await client.execute(
                    TestClient.Request("/images/\(Self.id)?q=my-secret", method: .get, authority: "127.0.0.1")
                )
            }
            #expect(answer.status.code >= 400)
            web.interrupt()
            let result = try await web.finish()
            #expect(result.error.contains("Forged: line"))
            #expect(!result.error.contains("my-secret"))
            expectHarmless(result.error)
        }
    }
}
